//! A container among a module's globals, which lives as long as the program.
//!
//! Evidence: the path begins at a module, and the container is the global itself or lies in it.

use super::holder_path::Root;
use super::kept_by_callback::{change, what};
use super::{Case, Explanation};
use crate::holders::container_path::words;

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let Root::Module(module) = path.root else { return None };
    let global = module.rsplit('.').next().unwrap_or(module);
    // On an object that a global names, it is the object's.
    let owner = case.finding.holder.as_ref().map_or("", |h| h.owner.as_str());
    if path.name.is_empty() || global != path.name || !owner.is_empty() {
        return None;
    }
    let words = words(path.full);
    // Of another module nobody can tell here where its name ends and an object's attributes begin.
    let place = path.full.starts_with("__main__.") && words.contains(['.', '[']);
    let called = if place { words.to_owned() } else { format!("the global {global}") };
    Some(Explanation {
        sentence: format!("{called} keeps {} for as long as the program runs", what(case)),
        change: change(case),
        ..Explanation::default()
    })
}
