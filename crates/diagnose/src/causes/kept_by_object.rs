//! An object that keeps something of every turn in one of its attributes.
//!
//! Evidence: the holder's owner is a class, and the path ends in an attribute, or in a part of each element of one. Asked late:
//! whether the object is a callback or a dataset says more.

use super::kept_by_callback::{change, what};
use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let owner = case.finding.holder.as_ref().map(|h| h.owner.as_str()).filter(|owner| !owner.is_empty())?;
    if path.name.is_empty() || path.full.is_local() || owner.ends_with("()") {
        return None;
    }
    let sentence = if path.below.is_empty() {
        format!("{owner}.{} keeps {} of every {}", path.name, what(case), case.unit)
    } else {
        let part = path.below.trim_start_matches('.');
        format!("{} keeps more with every {}: each element has its {part}", path.full.words(), case.unit)
    };
    Some(Explanation { sentence, change: change(case), ..Explanation::default() })
}
