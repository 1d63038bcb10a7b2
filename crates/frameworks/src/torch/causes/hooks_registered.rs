//! Hooks of PyTorch that are registered again and again, and never removed.
//!
//! Evidence: one of the tables grows in which modules, tensors and optimizers keep their hooks.

use nilometer_diagnose::pack::{Case, Explanation};
use nilometer_diagnose::registering;

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let method = registering(path.name).first()?;
    let call = case.code().filter(|code| code.contains(".register_")).unwrap_or(method);
    Some(Explanation {
        sentence: format!(
            "{} keeps each hook that is registered again, with all that its function refers to",
            case.called()
        ),
        change: change(call),
        ..Explanation::default()
    })
}

/// What to do with the handle, which the code may have a name for already.
fn change(code: &str) -> String {
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    let how = match code.split_once(" = ").filter(|(name, _)| is_name(name)) {
        Some((name, call)) => {
            format!("call `{name}.remove()` when the hook of `{call}` has done its work")
        }
        None => {
            format!(
                "keep the handle that `{code}` returns, and call `handle.remove()` when the hook has done its work"
            )
        }
    };
    format!("{how}; or register it once, before the loop")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_that_has_a_name_is_removed_by_it() {
        let said = change("self.handle = layer.register_forward_hook(look)");
        assert!(said.starts_with("call `self.handle.remove()` when"), "{said}");
        let said = change("layer.register_forward_hook(lambda m, i, o: print(m == o))");
        assert!(said.contains("`handle.remove()`") && said.starts_with("keep the handle"), "{said}");
        let said = change("hooks[0].register_forward_hook(look, prepend = True)");
        assert!(said.starts_with("keep the handle"), "{said}");
    }
}
