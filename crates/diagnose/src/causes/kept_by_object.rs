//! An object that keeps something of every turn in one of its attributes.
//!
//! Evidence: the holder's owner is a class, and the path ends in an attribute. Asked late: whether the object is a callback or
//! a dataset says more.

use super::kept_by_callback::{change, what};
use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let owner = case.finding.holder.as_ref().map(|h| h.owner.as_str()).filter(|owner| !owner.is_empty())?;
    if path.name.is_empty() || path.is_local() || owner.ends_with("()") {
        return None;
    }
    Some(Explanation {
        sentence: format!("{owner}.{} keeps {} of every {}", path.name, what(case), case.unit),
        change: change(case),
        ..Explanation::default()
    })
}
