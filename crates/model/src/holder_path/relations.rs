//! How two paths lie to each other, or a path to a file.
//!
//! In: two paths. Out: whether the one hangs below the other, is an element of it, is called otherwise for the same. What must not happen
//! here: `saved_too` taken for a part of `saved`.

use super::{HolderPath, Root, Step};

impl<'p> HolderPath<'p> {
    /// Whether both mean the same container.
    pub fn has_container_of(self, other: HolderPath) -> bool {
        self.container_text() == other.container_text()
    }

    /// Whether both mean the same of it, too.
    pub fn is_same_as(self, other: HolderPath) -> bool {
        self.has_container_of(other) && self.below() == other.below()
    }

    /// Whether what this path keeps hangs below the container of `outer`, or is it.
    pub fn is_within(self, outer: HolderPath) -> bool {
        let rest = self.text.strip_prefix(outer.container_text());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.']))
    }

    /// Whether this is an element of what `outer` means, or a container in it: `cache['x'][*]` of `cache[*]`. An attribute of an
    /// element is a holder of its own.
    pub fn is_element_of(self, outer: HolderPath) -> bool {
        let container = outer.container_text();
        let end = container.len();
        outer.ends_in_elements()
            && self.text.starts_with(container)
            && self.steps_at <= end
            && self.ends().filter(|(_, step_end)| *step_end > end).all(|(step, _)| step.is_element())
    }

    /// Whether this is a part of each element of `outer`'s container: `jobs[*].waiters[*]` of `jobs[*]`.
    pub fn is_part_of_each(self, outer: HolderPath) -> bool {
        let container = outer.container_text();
        let below = self.text.strip_prefix(container).and_then(|rest| rest.strip_prefix("[*]"));
        self.container_text() != container && below.is_some_and(|rest| rest.starts_with(['.', '[']))
    }

    /// Whether this means all elements of the container, and nothing else.
    pub fn is_all_of(self, container: HolderPath) -> bool {
        self.text.strip_suffix("[*]") == Some(container.text)
    }

    /// Whether the last step is to any element.
    pub fn ends_in_elements(self) -> bool {
        self.container_end < self.below_at && self.below_at == self.text.len()
    }

    /// Whether one path begins at the `self` of a method that runs, and the other leads to the same attribute of an object that a variable
    /// names: two looks called one container differently.
    pub fn is_alias_of(self, other: HolderPath) -> bool {
        let ends = |own: HolderPath, other: HolderPath| {
            own.of_self().is_some_and(|rest| other.of_self().is_none() && other.text.ends_with(rest))
        };
        ends(self, other) || ends(other, self)
    }

    /// Whether it begins at the `self` of a method that runs.
    pub fn is_of_self(self) -> bool {
        self.of_self().is_some()
    }

    /// `.checkpoints[*]` of `fit(): self.checkpoints[*]`.
    fn of_self(self) -> Option<&'p str> {
        let is_self = matches!(self.root, Root::Function { variable: "self", .. });
        Some(self.behind(self.steps_at)).filter(|steps| is_self && steps.starts_with('.'))
    }

    /// The path that means as many levels of elements of `without_keys` as this one has keys; at least one.
    pub fn of_any_keys(self) -> String {
        let named = self.without_keys();
        let keys = self.steps().count() - named.steps().count();
        format!("{named}{}", Step::Each.to_string().repeat(keys.max(1)))
    }

    /// Whether the path means the names of a module or of a function, `__main__[*]` or `fit():[*]`: many variables of it lead to the memory,
    /// and none is a container that grows. `file` is where the holder is written.
    pub fn is_namespace(self, file: &str) -> bool {
        if !self.ends_in_elements() || !self.below().is_empty() {
            return false;
        }
        let container = self.container();
        let name = file.strip_suffix(".py").unwrap_or(file);
        let name = name.strip_suffix("/__init__").unwrap_or(name);
        let ends = name.strip_suffix(&container.text.replace('.', "/"));
        matches!(self.root, Root::Function { variable: "", .. }) && container.steps().next().is_none()
            || container.text == "__main__"
            || ends.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    }
}
