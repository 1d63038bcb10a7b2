//! A replay memory without a bound, or with one that is never reached.
//!
//! Evidence: each element is a tuple of at least two arrays and a number: a state, what was done, what it gave, the state after.

use super::{Case, Explanation};
use crate::holders::container_path::words;

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref().filter(|path| path.below.is_empty())?;
    let holder = case.finding.holder.as_ref()?;
    if !["list", "deque"].contains(&holder.kind.as_str()) || !case.elements().split("), ").any(is_transition)
    {
        return None;
    }
    let name = words(path.full);
    let (bound, change) = match holder.bound {
        Some(bound) => (
            format!("its bound of {bound} is far away"),
            format!("a bound that memory has room for: `{name} = deque(maxlen=10_000)`"),
        ),
        None => ("it has no bound".to_owned(), format!("give it a bound: `{name} = deque(maxlen=10_000)`")),
    };
    Some(Explanation {
        sentence: format!("{name} keeps the transitions of every {}, and {bound}", case.unit),
        change: format!(
            "{change}; states as uint8 or float16 take a quarter or half; the state after of one is the state of the next"
        ),
        ..Explanation::default()
    })
}

/// `1000 x tuple (ndarray, int, float, ndarray)`.
fn is_transition(words: &str) -> bool {
    let Some((kind, parts)) = words.split_once(" (") else { return false };
    let is = |names: &'static [&'static str]| move |part: &&str| names.contains(&part.trim_end_matches(')'));
    let count = |names| parts.split(", ").filter(is(names)).count();
    !kind.ends_with("ndarray")
        && count(&["ndarray", "EagerTensor"]) >= 2
        && count(&["int", "float", "bool", "int64", "int32", "float32", "float64", "bool_"]) >= 1
}
