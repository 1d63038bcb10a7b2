//! `PyTorch`'s tables of hooks, and the methods that add to them.
//!
//! In: the name of a holder's attribute. Out: the methods that fill it. What must not happen here: a table of the user's own.

/// Tables by name, each with its methods. The first method is the one that its manual shows.
const TABLES: [(&str, &[&str]); 9] = [
    ("_forward_hooks", &["register_forward_hook"]),
    ("_forward_pre_hooks", &["register_forward_pre_hook"]),
    ("_backward_hooks", &["register_full_backward_hook", "register_backward_hook", "register_hook"]),
    ("_backward_pre_hooks", &["register_full_backward_pre_hook"]),
    ("_state_dict_hooks", &["register_state_dict_post_hook", "_register_state_dict_hook"]),
    ("_post_accumulate_grad_hooks", &["register_post_accumulate_grad_hook"]),
    ("_optimizer_step_pre_hooks", &["register_step_pre_hook"]),
    ("_optimizer_step_post_hooks", &["register_step_post_hook"]),
    ("_global_forward_hooks", &["register_module_forward_hook"]),
];

/// The methods that add to a table of hooks; none for what is no such table.
pub fn registering(table: &str) -> &'static [&'static str] {
    TABLES.iter().find(|(name, _)| *name == table).map_or(&[], |(_, methods)| methods)
}

/// Whether a line of source calls one of them.
pub(super) fn registers(line: &str, table: &str) -> bool {
    let code = line.split('#').next().unwrap_or_default();
    registering(table).iter().any(|method| code.contains(&format!(".{method}(")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_register_a_hook() {
        assert!(registers("    model.hid.register_forward_hook(capture)", "_forward_hooks"));
        assert!(registers("handle = loss.register_hook(print)", "_backward_hooks"));
        for (line, table) in [
            ("# model.hid.register_forward_hook(capture)", "_forward_hooks"),
            ("model.register_forward_pre_hook(capture)", "_forward_hooks"),
            ("def register_forward_hook(self):", "_forward_hooks"),
            ("model.register_forward_hook(capture)", "_my_hooks"),
        ] {
            assert!(!registers(line, table), "{line}");
        }
    }
}
