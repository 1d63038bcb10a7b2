//! A list or dict that is the default value of an argument: Python makes it once, and every call without that argument adds to the
//! same one.
//!
//! Evidence: the container that grows is such a default value itself, or lies in it. What an object keeps that is one is the object's.

use nilometer_model::Step;

use super::kept_by_callback::{change, what};
use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let container = path.full.container().without_keys();
    let Some(Step::Default(argument)) = container.steps().last() else { return None };
    let function = container.before(Step::Default(argument))?.0;
    // The kind is that of what grows: with an index behind it, the default value is something around that.
    let kind = case.finding.holder.as_ref().map(|holder| holder.kind.as_str());
    let kind = kind.filter(|kind| path.full.keys().is_empty() && !kind.is_empty()).unwrap_or("container");
    let name = function.last_words();
    let empty = match kind {
        "dict" => "{}",
        "set" => "set()",
        "list" => "[]",
        _ => "...",
    };
    Some(Explanation {
        sentence: format!(
            "the default value of `{argument}` in {function}() is one {kind} for all calls, and it keeps {} of every {}",
            what(case),
            case.unit
        ),
        change: format!(
            "make it in the call: `def {name}(..., {argument}=None)` and `{argument} = {empty} if {argument} is None else {argument}`; if it \
             is meant to last, {}",
            change(case)
        ),
        ..Explanation::default()
    })
}
