//! Memory that hangs some objects below the elements of a container, as a list that an iterator holds which the program keeps.
//!
//! Evidence: the path leads through the elements of a container of the program's own. Asked late: whether that container gets more
//! elements, or one element more below it, the path alone does not tell.

use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let holder = case.finding.holder.as_ref()?;
    let is_users = holder.file.as_deref().is_some_and(|file| case.run.folders.is_users(file));
    let (outer, behind) = path.full.outermost()?;
    if !is_users || holder.bound.is_some() || behind.is_empty() || path.full.function().is_some() {
        return None;
    }
    let outer = outer.in_code();
    Some(Explanation {
        sentence: format!("the elements of {outer} keep more with every {}", case.unit),
        change: format!("take an element out of `{outer}` once it is used, or let go of what it keeps"),
        ..Explanation::default()
    })
}
