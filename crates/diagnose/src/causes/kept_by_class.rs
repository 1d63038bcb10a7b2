//! A container on a class: all its instances share it, and it outlives each of them.
//!
//! Evidence: the holder's owner is a class, and the path reaches the container on the class itself.

use super::kept_by_callback::{change, what};
use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref().filter(|path| path.below.is_empty())?;
    let holder = case.finding.holder.as_ref()?;
    let on_class = format!("{}.{}", holder.owner, path.name);
    // What a library has on its classes is not the user's to change.
    let users = holder.file.as_deref().is_none_or(|file| case.run.folders.is_users(file));
    if holder.owner.is_empty() || !path.full.text().contains(&on_class) || !users {
        return None;
    }
    let empty = match holder.kind.as_str() {
        "dict" | "OrderedDict" | "defaultdict" => "{}",
        "set" => "set()",
        "deque" => "deque(maxlen=...)",
        _ => "[]",
    };
    Some(Explanation {
        sentence: format!(
            "{on_class} is an attribute of the class: it keeps {} for all instances, and outlives them",
            what(case)
        ),
        change: format!(
            "make it an attribute of the instance (`self.{} = {empty}` in __init__), and {}",
            path.name,
            change(case)
        ),
        ..Explanation::default()
    })
}
