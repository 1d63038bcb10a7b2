//! The path from a root that a person knows to what holds memory: `fit(): callbacks[0].saved[*]`.
//!
//! ```text
//! path  = root step*
//! root  = function "():" " " variable   a variable of a function: it runs, or is a closure or a generator of the user's
//!       | function "():"                the names of a function, or what it was called with
//!       | word                          a module, a class or a function, up to its first dot
//!       | "<context variable " name ">"  a variable of `contextvars`, in a context that a thread has entered
//!       | "<native code>"               nothing in Python leads to it
//! step  = "." name                      an attribute, or one more word of the root's name
//!       | "[" key "]"                   the element under a key or at an index
//!       | "[*]"                         any element: the memory hangs below many of them
//!       | ".<" words ">"                what has no name in the source, see `Step`
//!       | " frame" | " local " name     a frame of a traceback, and a variable of it
//! key   = a text in quotes, where a backslash hides the next letter; a number; a tuple of keys; "<" type ">"
//! ```
//!
//! A key may contain whatever separates steps elsewhere. Where the name of a module or a class ends and attributes begin, the text does
//! not say, but for `__main__`.
//!
//! In: a text, from a census of today or of an older release. Out: its root, its steps, and answers about them. What must not happen here:
//! a panic, whatever the text; a word of a key taken for a step.

mod container;
mod relations;
mod root;
mod step;

use std::fmt;

pub use root::{NATIVE_CODE, Root};
pub use step::Step;
use step::read;

/// A path, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HolderPath<'p> {
    text: &'p str,
    root: Root<'p>,
    /// Where the steps begin.
    steps_at: usize,
    /// Where what a person sees of it ends.
    plain_end: usize,
    /// Where the container that grows ends, and where begins what of each of its elements is meant.
    container_end: usize,
    below_at: usize,
}

impl<'p> HolderPath<'p> {
    /// Reads a path. What is none is a root without steps.
    pub fn of(text: &'p str) -> Self {
        let (root, steps_at) = root::read(text);
        let plain_end = container::plain(text).len();
        let (container_end, below_at) = (plain_end, plain_end);
        let mut path = Self { text, root, steps_at, plain_end, container_end, below_at };
        let (mut at, mut level) = (steps_at, None);
        for (step, end) in path.ends().take_while(|(_, end)| *end <= plain_end) {
            if step == Step::Each {
                (path.container_end, path.below_at) = (*level.get_or_insert(at), end);
            } else {
                level = None;
            }
            at = end;
        }
        path
    }

    /// The path as it is written.
    pub fn text(self) -> &'p str {
        self.text
    }

    /// Where it begins.
    pub fn root(self) -> Root<'p> {
        self.root
    }

    /// The function whose variable it begins with, or whose names.
    pub fn function(self) -> Option<&'p str> {
        match self.root {
            Root::Function { name, .. } => Some(name),
            Root::ContextVariable(_) | Root::Word(_) => None,
        }
    }

    /// What leads from the root to the memory.
    pub fn steps(self) -> impl Iterator<Item = Step<'p>> {
        self.ends().map(|(step, _)| step)
    }

    /// All names of the source on it, the root's first.
    pub fn names(self) -> impl Iterator<Item = &'p str> {
        std::iter::once(self.root.name()).chain(self.steps().map(Step::name)).filter(|name| !name.is_empty())
    }

    /// Whether it leads through an attribute of this name to something behind it.
    pub fn leads_through(self, attribute: &str) -> bool {
        self.before(Step::Attribute(attribute)).is_some_and(|(_, behind)| !behind.is_empty())
    }

    /// Whether it leads to an element of something that is called so.
    pub fn leads_into(self, is_called: impl Fn(&str) -> bool) -> bool {
        let mut name = self.root.name();
        for step in self.steps() {
            if !step.is_element() {
                name = step.name();
            } else if is_called(name) {
                return true;
            }
        }
        false
    }

    /// The path up to the first such step, and what stands behind the step.
    pub fn before(self, step: Step) -> Option<(Self, &'p str)> {
        let mut begin = self.steps_at;
        for (known, end) in self.ends() {
            if known == step {
                return Some((self.up_to(begin), self.behind(end)));
            }
            begin = end;
        }
        None
    }

    /// Each step, and where it ends in the text.
    fn ends(self) -> impl Iterator<Item = (Step<'p>, usize)> {
        let mut at = self.steps_at;
        std::iter::from_fn(move || {
            let (step, bytes) = read(self.behind(at))?;
            at += bytes;
            Some((step, at))
        })
    }

    fn up_to(self, end: usize) -> Self {
        Self::of(self.text.get(..end).unwrap_or(self.text))
    }

    fn behind(self, at: usize) -> &'p str {
        self.text.get(at..).unwrap_or_default()
    }
}

impl fmt::Display for HolderPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}
