//! A container among a module's globals, which lives as long as the program.
//!
//! Evidence: the path begins at a module, and the container is the global itself or lies in it.

use super::kept_by_callback::{change, what};
use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let global = path.full.global()?;
    // On an object that a global names, it is the object's.
    let owner = case.finding.holder.as_ref().map_or("", |h| h.owner.as_str());
    if global != path.name || !owner.is_empty() {
        return None;
    }
    // Of another module nobody can tell here where its name ends and an object's attributes begin.
    let place = path.full.is_main() && path.full.container().steps().count() > 1;
    let called = if place { path.full.words().to_owned() } else { format!("the global {global}") };
    Some(Explanation {
        sentence: format!("{called} keeps {} for as long as the program runs", what(case)),
        change: change(case),
        ..Explanation::default()
    })
}
