//! A dataset object that keeps what it made: a `PyDataset` or a `Sequence` that is asked for a batch and remembers it.
//!
//! Evidence: the holder's owner is a dataset by its class.

use super::kept_by_callback::{change, what};
use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref().filter(|path| path.below.is_empty())?;
    let holder = case.finding.holder.as_ref()?;
    if holder.role.as_deref() != Some("dataset") || path.name.is_empty() || path.full.is_local() {
        return None;
    }
    let (owner, name) = (holder.owner.as_str(), path.name);
    let keyed = holder.kind.ends_with("dict");
    let change = if keyed {
        format!(
            "make each batch anew, or give `{name}` a fixed set of keys: the index, not the epoch or a drawn value; then it fills \
             once and stops"
        )
    } else {
        format!("a batch is used once: do not remember it; or {}", change(case))
    };
    Some(Explanation {
        sentence: format!(
            "{owner}.{name} keeps {} of every {}: the dataset remembers what it made",
            what(case),
            case.unit
        ),
        change,
        ..Explanation::default()
    })
}
