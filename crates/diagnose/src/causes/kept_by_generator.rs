//! A generator that remembers what it has yielded.
//!
//! Evidence: the holder's owner is a function that yields.

use super::kept_by_callback::{change, what};
use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    if case.finding.holder.as_ref()?.role.as_deref() != Some("generator") || path.name.is_empty() {
        return None;
    }
    Some(Explanation {
        sentence: format!("a generator keeps {} in its variable {}", what(case), path.name),
        change: change(case),
        ..Explanation::default()
    })
}
