//! A service that remembers its answers: by a key that may never come again.
//!
//! Evidence: what is judged is requests and calls of `predict`, no training; the holder is a dictionary of an object's; what it keeps
//! is arrays or tensors.

use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref().filter(|path| path.below.is_empty())?;
    let holder = case.finding.holder.as_ref()?;
    let is_table = ["dict", "OrderedDict", "defaultdict"].contains(&holder.kind.as_str());
    let is_answer = case.elements().contains("ndarray") || case.elements().contains("EagerTensor");
    if !["predict", "request"].contains(&case.unit) || !is_table || !is_answer || path.full.is_local() {
        return None;
    }
    let (owner, name) = (holder.owner.as_str(), path.name);
    if holder.role.is_some() || owner.is_empty() || owner.ends_with("()") || name.is_empty() {
        return None;
    }
    Some(Explanation {
        sentence: format!(
            "{owner}.{name} remembers the answer to every {}, for keys that may never come again",
            case.unit
        ),
        change: format!(
            "keep the newest only: an OrderedDict, and `if len(self.{name}) > 1000: self.{name}.popitem(last=False)` after each \
             addition"
        ),
        ..Explanation::default()
    })
}
