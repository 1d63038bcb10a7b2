//! Variables of contexts that threads have entered: what `contextvars` gives a thread or a request.
//!
//! In: a thread's state. Out: each variable of its context, with its value. No module leads to such a value, and a context shows its table as
//! nodes without names, so pairs are told by the type of a key. What must not happen here: a context that nobody has entered.

use super::HeapView;
use crate::layout::TYPE;
use crate::memory::word;
use crate::object::Object;

/// `var_name` of a `ContextVar`.
const VARIABLE_NAME: u64 = 16;
/// The table and its nodes, by what their types are called.
const TABLE: [&str; 4] = ["hamt", "hamt_bitmap_node", "hamt_array_node", "hamt_collision_node"];
/// Contexts entered one inside the other, and levels of a table, which has eight.
const MAX_ENTERED: usize = 1000;
const MAX_LEVELS: usize = 16;
/// Characters of a name.
const MAX_NAME_CHARS: usize = 100;

impl HeapView<'_> {
    /// Each variable of the contexts that a thread has entered, the innermost first, and its value.
    pub(crate) fn context_variables(&self, thread: u64, visit: &mut dyn FnMut(u64, u64)) {
        let Some(offset) = self.offsets.thread_context else { return };
        let mut context = word(thread, offset);
        for _ in 0..MAX_ENTERED {
            if !self.is_context(context) {
                return;
            }
            let mut outer = 0;
            self.python.traverse(Object(context), &mut |child| match child.address() {
                child if self.is_context(child) => outer = child,
                child => self.pairs(child, 0, visit),
            });
            context = outer;
        }
    }

    /// The name that a `ContextVar` was given.
    pub(crate) fn context_variable_name(&self, variable: u64) -> Option<String> {
        self.text(word(variable, VARIABLE_NAME), MAX_NAME_CHARS)
    }

    fn is_context(&self, object: u64) -> bool {
        object != 0 && self.well_known.context != 0 && word(object, TYPE) == self.well_known.context
    }

    /// Each key and value at and below a node of a table.
    fn pairs(&self, node: u64, level: usize, visit: &mut dyn FnMut(u64, u64)) {
        if level > MAX_LEVELS || !self.is_table(node) {
            return;
        }
        let mut children = Vec::new();
        self.python.traverse(Object(node), &mut |child| children.push(child.address()));
        let mut children = children.into_iter();
        while let Some(first) = children.next() {
            if self.is_table(first) {
                self.pairs(first, level + 1, visit);
                continue;
            }
            // A node shows what it has from its end: a value, and then its key.
            let Some(second) = children.next() else { return };
            match (self.is_variable(second), self.is_variable(first)) {
                (true, _) => visit(second, first),
                (_, true) => visit(first, second),
                _ => return,
            }
        }
    }

    fn is_table(&self, object: u64) -> bool {
        TABLE.contains(&self.type_name(word(object, TYPE)).as_str())
    }

    fn is_variable(&self, object: u64) -> bool {
        self.well_known.context_variable != 0 && word(object, TYPE) == self.well_known.context_variable
    }
}
