//! Whether the program is one of several that train one model together: then one alone must not stop.
//!
//! In: the environment that launchers set. Out: why not, in words. Pure but for the reading of variables.

use serde_json::Value;

use crate::env;
use crate::messages::Failure;
use crate::words::guard as words;

/// Refuses a program that is one of several workers.
pub(super) fn check() -> Result<(), Failure> {
    let workers = env::WORKERS.iter().find_map(|name| {
        let value = env::get(name)?.into_string().ok()?;
        let count = if *name == env::TF_CONFIG { members(&value) } else { value.trim().parse().unwrap_or(1) };
        (count > 1).then_some((*name, count))
    });
    match workers {
        None => Ok(()),
        Some((name, count)) => Err(words::not_alone(name, count)),
    }
}

/// Processes in `TF_CONFIG`'s cluster; one that only evaluates trains nothing.
fn members(text: &str) -> u64 {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let tasks = value.get("cluster").and_then(Value::as_object);
    let count = tasks.into_iter().flatten().filter(|(job, _)| *job != "evaluator");
    count.map(|(_, addresses)| addresses.as_array().map_or(0, |list| list.len() as u64)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_a_cluster_are_counted() {
        assert_eq!(members(r#"{"cluster": {"worker": ["a:1", "b:1"]}, "task": {"index": 0}}"#), 2);
        assert_eq!(members(r#"{"cluster": {"chief": ["a:1"], "ps": ["b:1"], "evaluator": ["c:1"]}}"#), 2);
        assert_eq!(members(r#"{"cluster": {"worker": ["a:1"]}}"#), 1);
        assert_eq!(members("{}"), 0);
        assert_eq!(members("no json"), 0);
    }
}
