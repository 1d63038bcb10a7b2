//! What an object leads to: its traversal, and what that leaves out.
//!
//! In: a live object. Out: its children, each as often as it is referred to. Left out by CPython's traversal are
//! dicts that show an instance's values (3.13), the
//! subclasses of classes, the dicts of static types, and all that numpy's arrays hold. What must not happen here: a reference that
//! is counted and is none, it would hide that native code holds the object.

use crate::naming::{Kind, Look};
use crate::object::Object;

/// Each child of a live object.
pub(crate) fn each_child(look: &Look<'_>, object: u64, visit: &mut dyn FnMut(u64)) {
    let dict = look.dict_beside_values(object);
    let mut shown = dict == 0;
    look.python.traverse(Object(object), &mut |child| {
        shown |= child.address() == dict;
        visit(child.address());
    });
    if !shown {
        visit(dict);
    }
    look.sizes.hidden(Object(object), &mut |child| visit(child.address()));
    if look.kinds.of(object) == Kind::Type {
        look.class_children(object, visit);
    }
}
