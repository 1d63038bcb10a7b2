//! A replay memory without a bound, or with one that is never reached.
//!
//! Evidence: each element is a tuple of a state, what was done, what it gave, and the state after: arrays first and last or before a flag,
//! a number between. And the program speaks of it so: a list of samples with their errors may look the same.

use super::{Case, Explanation};
use crate::holders::is_number;

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref().filter(|path| path.below.is_empty())?;
    let holder = case.finding.holder.as_ref()?;
    if !["list", "deque"].contains(&holder.kind.as_str()) || !case.elements().split("), ").any(is_transition)
    {
        return None;
    }
    let spoken = [path.full.text(), case.code().unwrap_or_default(), &holder.owner];
    let called = case.finding.sites.iter().map(|site| site.function.as_str());
    if !spoken.into_iter().chain(called).any(speaks_of_it) {
        return None;
    }
    let name = path.full.words();
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
    let parts: Vec<&str> = parts.split(", ").map(|part| part.trim_end_matches(')')).collect();
    let is_array = |part: &&str| ARRAYS.iter().any(|name| part.starts_with(name));
    !kind.ends_with("ndarray")
        && parts.len() >= MIN_PARTS
        && parts.first().is_some_and(is_array)
        && parts.iter().filter(|part| is_array(part)).count() >= 2
        && parts.iter().any(|part| is_number(part))
}

/// What a state may be.
const ARRAYS: [&str; 4] = ["ndarray", "EagerTensor", "Tensor", "ArrayImpl"];
/// A state, an action, a reward, the state after.
const MIN_PARTS: usize = 4;
/// Words of programs that learn from what they did.
const WORDS: [&str; 11] = [
    "replay",
    "memory",
    "buffer",
    "transition",
    "experience",
    "episode",
    "reward",
    "action",
    "agent",
    "next_state",
    "next_obs",
];

fn speaks_of_it(text: &str) -> bool {
    let text = text.to_lowercase();
    WORDS.iter().any(|word| text.contains(word))
}
