//! The structure of an object, by its type's flags and bases.
//!
//! In: a type. Out: its [`Shape`]. What must not happen here: a decision by name alone. The deque is the
//! exception, because it has no flag and no symbol; its size is checked, too.

use crate::layout::flags;
use crate::object::{Python, Type, is_deque};

/// Structures whose elements can be counted and read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    List,
    Tuple,
    /// `dict` and its subclasses, `OrderedDict` and `defaultdict` among them.
    Dict,
    /// `set` and `frozenset`.
    Set,
    Deque,
    Other,
}

/// The structure of a type's objects.
pub(crate) fn shape_of(python: &Python, kind: Type) -> Shape {
    let bits = kind.flags();
    if bits & flags::LIST != 0 {
        Shape::List
    } else if bits & flags::TUPLE != 0 {
        Shape::Tuple
    } else if bits & flags::DICT != 0 {
        Shape::Dict
    } else if bits & (flags::GC | flags::TYPE | flags::EXCEPTION) != flags::GC {
        Shape::Other
    } else {
        let known = &python.known;
        for part in kind.chain() {
            if part.0 == known.set || part.0 == known.frozenset {
                return Shape::Set;
            }
            if is_deque(part) {
                return Shape::Deque;
            }
        }
        Shape::Other
    }
}
