//! The children of an object, with those that traversal leaves out.
//!
//! In: a live object. Out: its children, each as often as it is referred to. CPython's traversal leaves out:
//! dicts beside inline values (3.13), subclasses of classes, dicts of static types, the references of numpy
//! arrays. What must not happen here: an edge that is no counted reference; it would hide that native code
//! holds the object.

use crate::naming::{HeapView, Kind};
use crate::object::Object;

/// Each child of a live object.
pub(crate) fn each_child(heap: &HeapView<'_>, object: u64, visit: &mut dyn FnMut(u64)) {
    let dict = heap.dict_beside_values(object);
    let mut shown = dict == 0;
    heap.python.traverse(Object(object), &mut |child| {
        shown |= child.address() == dict;
        visit(child.address());
    });
    if !shown {
        visit(dict);
    }
    heap.sizes.hidden(Object(object), &mut |child| visit(child.address()));
    if heap.kinds.of(object) == Kind::Type {
        heap.class_children(object, visit);
    }
}
