//! Hooks of `PyTorch` that are registered again and again, and never removed.
//!
//! Evidence: one of the tables grows in which modules, tensors and optimizers keep their hooks.

use super::{Case, Explanation};
use crate::holders::registering;

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let method = registering(path.name).first()?;
    let call = case.code().filter(|code| code.contains(".register_")).unwrap_or(method);
    Some(Explanation {
        sentence: format!(
            "{} keeps each hook that is registered again, with all that its function refers to",
            case.called()
        ),
        change: format!(
            "keep the handle that `{call}` returns, and call `handle.remove()` when the hook has done its work; or register it \
             once, before the loop"
        ),
        ..Explanation::default()
    })
}
