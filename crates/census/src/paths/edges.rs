//! What an object leads to: its traversal, and what that leaves out.
//!
//! In: a live object. Out: its children, each as often as it is referred to. Left out by CPython's traversal are the
//! subclasses of classes, the dicts of static types, and all that numpy's arrays hold. What must not happen here: a reference that
//! is counted and is none, it would hide that native code holds the object.

use crate::layout::types;
use crate::memory::{int, usable, word};
use crate::naming::{Kind, Look, array};
use crate::object::Object;

/// Each child of a live object.
pub(crate) fn each_child(look: &Look<'_>, object: u64, visit: &mut dyn FnMut(u64)) {
    look.python.traverse(Object(object), &mut |child| visit(child.address()));
    match look.kinds.of(object) {
        Kind::Type => look.class_children(object, visit),
        Kind::Array => array_children(object, visit),
        _ => {}
    }
}

/// The base of an array, and the elements of one that holds objects and owns them.
fn array_children(object: u64, visit: &mut dyn FnMut(u64)) {
    const MOST_DIMENSIONS: usize = 64;
    const MOST_ELEMENTS: u64 = 1 << 26;
    let base = word(object, array::BASE);
    if base != 0 {
        visit(base);
        return;
    }
    let dimensions = usize::try_from(int(object, array::DIMENSIONS)).unwrap_or(0);
    if int(word(object, array::DESCRIPTION), array::ELEMENT_TYPE) != array::OBJECTS
        || dimensions > MOST_DIMENSIONS
    {
        return;
    }
    let shape: Vec<(u64, u64)> = (0..dimensions as u64)
        .map(|at| (word(word(object, array::SHAPE), 8 * at), word(word(object, array::STRIDES), 8 * at)))
        .collect();
    let elements = shape.iter().try_fold(1_u64, |all, (length, _)| all.checked_mul(*length)).unwrap_or(0);
    if elements > MOST_ELEMENTS {
        return;
    }
    let data = word(object, array::DATA);
    for element in 0..elements {
        let (mut rest, mut at) = (element, data);
        for (length, stride) in shape.iter().rev() {
            at = at.wrapping_add((rest % length).wrapping_mul(*stride));
            rest /= length;
        }
        let child = word(at, 0);
        if usable(child) {
            visit(child);
        }
    }
}

/// What it costs a search to enter an object. Functions, classes and modules lead to everything.
pub(crate) fn enter(kind: Kind) -> u32 {
    match kind {
        Kind::Function => 20,
        Kind::Type | Kind::Module | Kind::Frame => 10,
        Kind::Traceback => 5,
        _ => 1,
    }
}

/// Whether a type's objects are numpy's arrays with the fields that are read here: large enough for them.
pub(crate) fn has_array_fields(class: u64) -> bool {
    word(class, types::BASIC_SIZE) >= array::DESCRIPTION + 8
}
