//! TensorFlow's eager tensors and variables.
//!
//! In: objects of these types. Out: their bytes, and where TensorFlow keeps them. What must not happen here: a call into
//! TensorFlow. Each that tells a shape waits for the operation that makes the tensor; such an operation may wait for the GIL.

use super::Buffer;
use crate::object::{Object, Python};

pub(super) fn tensor(_python: &Python, _o: Object, _visit: &mut dyn FnMut(Buffer)) {}

pub(super) fn variable(_python: &Python, _o: Object, _visit: &mut dyn FnMut(Buffer)) {}

pub(super) fn shape(_python: &Python, _o: Object) -> Option<(Vec<u64>, &'static str)> {
    None
}
