//! Callbacks that are added to a list again before every fit.
//!
//! Evidence: a list of callbacks grows, and the memory hangs below its elements; or the list that grows is called as the argument of
//! `fit` is.

use super::kept_by_callback::class;
use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let holder = case.finding.holder.as_ref()?;
    if let Some(class) = class(case.elements()).filter(|_| path.name == "callbacks" && path.below.is_empty())
    {
        return Some(said(case, class, "what it has seen"));
    }
    if path.below.is_empty() || holder.role.as_deref() != Some("callback") {
        return None;
    }
    // A callback that keeps objects of a library's is told as the owner of these, too.
    let is_owner = |word: &str| word == holder.owner;
    if !case.elements().is_empty() && !case.elements().split([' ', ',', '(', ')']).any(is_owner) {
        return None;
    }
    Some(said(case, &holder.owner, &format!("its {}", path.below.trim_start_matches('.'))))
}

fn said(case: &Case, class: &str, part: &str) -> Explanation {
    let list = case.path.as_ref().map_or("", |path| path.full.words());
    Explanation {
        sentence: format!("{list} gets one more {class} with every {}, and each keeps {part}", case.unit),
        change: format!("make a new list for each fit (`callbacks=[{class}(...)]`), or add {class} once"),
        intervention: Some(format!("callback:{class}")),
        ..Explanation::default()
    }
}
