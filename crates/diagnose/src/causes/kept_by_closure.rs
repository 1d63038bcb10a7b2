//! A container in a closure: a function keeps the variable of the function it was made in.
//!
//! Evidence: the path leads through a function's closure.

use super::kept_by_callback::{change, what};
use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let holder = case.finding.holder.as_ref()?;
    if holder.role.as_deref() != Some("closure") {
        return None;
    }
    Some(Explanation {
        sentence: format!("a closure keeps {} in its variable {}", what(case), path.name),
        change: change(case),
        ..Explanation::default()
    })
}
