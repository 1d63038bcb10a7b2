//! Callbacks that are added to a list again before every fit.
//!
//! Evidence: a list of callbacks grows, and the memory hangs below its elements.

use super::{Case, Explanation};
use crate::held::level::words;

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let holder = case.finding.holder.as_ref()?;
    if path.below.is_empty() || holder.role.as_deref() != Some("callback") {
        return None;
    }
    // A callback that keeps objects of a library's is told as the owner of these, too.
    let is_owner = |word: &str| word == holder.owner;
    if !case.elements().is_empty() && !case.elements().split([' ', ',', '(', ')']).any(is_owner) {
        return None;
    }
    let (list, owner) = (words(path.full), holder.owner.as_str());
    let part = path.below.trim_start_matches('.');
    Some(Explanation {
        sentence: format!("{list} gets one more {owner} with every {}, and each keeps its {part}", case.unit),
        change: format!("make a new list for each fit (`callbacks=[{owner}(...)]`), or add {owner} once"),
        intervention: Some(format!("callback:{owner}")),
        ..Explanation::default()
    })
}
