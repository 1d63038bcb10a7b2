//! Where a path begins.
//!
//! In: a path's text. Out: its [`Root`], and where the steps begin; or a root's text. What must not happen here: a root that is read
//! otherwise than it is written.

use std::fmt;

use super::step::{in_angles, word};

/// Behind a function's name.
const CALL: &str = "():";
/// A value on a function's stack, which no variable names.
const UNNAMED: &str = "<unnamed>";

/// Before the name of a variable of a context.
const CONTEXT_VARIABLE: &str = "context variable ";

/// The path of what nothing in Python leads to.
pub const NATIVE_CODE: &str = "<native code>";

/// Where a path begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root<'p> {
    /// `fit(): callbacks`. The variable is empty where all names of the function are meant, or what it was called with.
    Function {
        /// `fit`.
        name: &'p str,
        /// `callbacks`.
        variable: &'p str,
    },
    /// `<context variable user>`: a variable of `contextvars`.
    ContextVariable(&'p str),
    /// `__main__`, or the first word of `jobs.cache.SEEN`; `<native code>`.
    Word(&'p str),
}

impl<'p> Root<'p> {
    /// A value on the stack of a function.
    pub fn on_stack(name: &'p str) -> Self {
        Self::Function { name, variable: UNNAMED }
    }

    /// The name that the source has for it; empty if there is none.
    pub(super) fn name(self) -> &'p str {
        match self {
            Self::Function { variable: name, .. } | Self::Word(name) if !name.starts_with('<') => name,
            // Of a variable of a context the source has another name.
            _ => "",
        }
    }
}

impl fmt::Display for Root<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Function { name, variable: "" } => write!(f, "{name}{CALL}"),
            Self::Function { name, variable } => write!(f, "{name}{CALL} {variable}"),
            Self::ContextVariable(name) => write!(f, "<{CONTEXT_VARIABLE}{name}>"),
            Self::Word(word) => f.write_str(word),
        }
    }
}

/// The root, and where it ends.
pub(super) fn read(text: &str) -> (Root<'_>, usize) {
    let called = text.split_once(CALL).filter(|(name, _)| !name.contains(['[', ' ']));
    if let Some((name, behind)) = called {
        // The names that `prove` gives to containers have no blank.
        let from = behind.strip_prefix(' ').unwrap_or(behind);
        let variable = first(from);
        return (Root::Function { name, variable }, text.len() - from.len() + variable.len());
    }
    let word = first(text);
    let inside = word.strip_prefix('<').and_then(|word| word.strip_suffix('>'));
    let root = inside.and_then(|inside| inside.strip_prefix(CONTEXT_VARIABLE)).map(Root::ContextVariable);
    (root.unwrap_or(Root::Word(word)), word.len())
}

fn first(text: &str) -> &str {
    if text.starts_with('<') { in_angles(text) } else { word(text) }
}
