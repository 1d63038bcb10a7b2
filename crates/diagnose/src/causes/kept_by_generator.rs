//! A generator that remembers what it has yielded.
//!
//! Evidence: the path leads into a generator's variables.

use super::kept_by_callback::{change, what};
use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    if !path.full.contains("<generator") {
        return None;
    }
    Some(Explanation {
        sentence: format!("a generator keeps {} in its variable {}", what(case), path.name),
        change: change(case),
        ..Explanation::default()
    })
}
