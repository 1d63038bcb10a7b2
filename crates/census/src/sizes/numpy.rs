//! numpy arrays, version 1 and 2: who owns the bytes, the base of a view, the elements.
//!
//! In: an `ndarray` or a subclass. Out: its data if it owns them, its base, the elements of an object array.
//! What must not happen here: trust in an element size that contradicts the type number; data counted once
//! per view.

use super::Buffer;
use crate::layout::{TYPE, flags};
use crate::memory;
use crate::object::{Object, Python, Type};

/// Fields of `PyArrayObject`, the same since 1.7.
const DATA: u64 = 16;
const DIMENSIONS: u64 = 24;
const SHAPE: u64 = 32;
const STRIDES: u64 = 40;
const BASE: u64 = 48;
const DESCRIPTION: u64 = 56;
const FLAGS: u64 = 64;
const OWNS_DATA: i32 = 4;
/// Fields of `PyArray_Descr`.
const TYPE_NUMBER: u64 = 28;
const ELEMENT_SIZE_1: u64 = 32;
const ELEMENT_SIZE_2: u64 = 40;
/// `NPY_OBJECT`.
const OBJECTS: i32 = 17;
/// Element bytes of the numbered types from bool to object.
const ELEMENT_BYTES: [u64; 18] = [1, 1, 1, 2, 2, 4, 4, 8, 8, 8, 8, 4, 8, 16, 8, 16, 32, 8];
/// Elements of one object array that are visited.
const MAX_OBJECT_ELEMENTS: u64 = 1 << 22;
/// More dimensions than numpy allows.
const MAX_NUMPY_DIMENSIONS: i32 = 64;

/// Bytes per element, by the address of its description. Versions differ in the field's place; numbered types have a fixed size.
pub fn element_size(description: u64) -> Option<u64> {
    let number = memory::int(description, TYPE_NUMBER);
    if let Some(known) = usize::try_from(number).ok().and_then(|number| ELEMENT_BYTES.get(number)) {
        return Some(*known);
    }
    // Version 1: size and alignment as two ints. Version 2: flags here, the size in the next word.
    let (first, second) =
        (memory::int(description, ELEMENT_SIZE_1), memory::word(description, ELEMENT_SIZE_2));
    let alignment = memory::int(description, ELEMENT_SIZE_1 + 4);
    let version_1 = first >= 0 && alignment > 0 && alignment <= 64 && alignment.count_ones() == 1;
    match (version_1, second) {
        (true, _) => Some(u64::from(first.unsigned_abs())),
        (false, size) if size < 1 << 40 => Some(size),
        _ => None,
    }
}

fn dimensions(o: Object) -> Option<Vec<u64>> {
    let count = memory::int(o.0, DIMENSIONS);
    if !(0..=MAX_NUMPY_DIMENSIONS).contains(&count) {
        return None;
    }
    let shape = memory::word(o.0, SHAPE);
    Some((0..u64::from(count.unsigned_abs())).map(|axis| memory::word(shape + 8 * axis, 0)).collect())
}

/// Shape and bytes of all elements.
pub(super) fn shape(o: Object) -> Option<(Vec<u64>, u64)> {
    let dimensions = dimensions(o)?;
    let elements = dimensions.iter().try_fold(1_u64, |product, one| product.checked_mul(*one))?;
    let bytes = elements.checked_mul(element_size(memory::word(o.0, DESCRIPTION))?)?;
    Some((dimensions, bytes))
}

/// The name of the element type: `float64`; empty for types without a number.
pub(super) fn element_name(o: Object) -> &'static str {
    element_name_of(memory::word(o.0, DESCRIPTION))
}

/// The same for a description alone: the address of one, as objects of numpy's and of others have it.
pub fn element_name_of(description: u64) -> &'static str {
    const NAMES: [&str; 24] = [
        "bool",
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "uint32",
        "int64",
        "uint64",
        "int64",
        "uint64",
        "float32",
        "float64",
        "float128",
        "complex64",
        "complex128",
        "complex256",
        "object",
        "bytes",
        "str",
        "void",
        "datetime64",
        "timedelta64",
        "float16",
    ];
    let number = memory::int(description, TYPE_NUMBER);
    usize::try_from(number).ok().and_then(|number| NAMES.get(number)).copied().unwrap_or("")
}

/// Bytes that the array keeps alive: its own, or those of the array that it is a view of.
pub(crate) fn data_bytes(o: Object) -> u64 {
    /// A view of a view leads to the owner at once.
    const MAX_VIEW_DEPTH: u32 = 4;
    let mut at = o;
    for _ in 0..MAX_VIEW_DEPTH {
        let base = memory::word(at.0, BASE);
        if base == 0 || memory::int(at.0, FLAGS) & OWNS_DATA != 0 || is_native_owner(base) {
            return shape(at).map_or(0, |(_, bytes)| bytes);
        }
        if memory::word(base, TYPE) != memory::word(o.0, TYPE) {
            return 0;
        }
        at = Object(base);
    }
    0
}

/// Data that the array owns, or that a native owner keeps for it alone.
pub(super) fn buffers(o: Object, visit: &mut dyn FnMut(Buffer)) {
    let Some((dimensions, bytes)) = shape(o) else { return };
    if !dimensions.is_empty() {
        visit(Buffer { address: memory::word(o.0, SHAPE), bytes: 16 * dimensions.len() as u64, owner: true });
    }
    let data = memory::word(o.0, DATA);
    if memory::int(o.0, FLAGS) & OWNS_DATA != 0 {
        // numpy allocates at least one element.
        visit(Buffer { address: data, bytes: bytes.max(1), owner: true });
    } else if bytes > 0 && is_native_owner(memory::word(o.0, BASE)) {
        visit(Buffer { address: data, bytes, owner: true });
    }
}

/// The metatype of all descriptions; 0 if numpy is not loaded.
pub(super) fn type_of_descriptions(python: &Python) -> u64 {
    /// `md_dict` of a module.
    const MODULE_DICT: u64 = 16;
    let module = python.dict_item(Object(python.api.modules()), b"numpy");
    let module = module.filter(|module| python.type_of(*module).0 == python.known.module);
    let described =
        module.and_then(|module| python.dict_item(Object(memory::word(module.0, MODULE_DICT)), b"dtype"));
    described.map_or(0, |described| python.type_of(described).0)
}

/// Whether the base exists only to free a library's buffer for this array: a capsule, a framework's wrapper of
/// a tensor. Such a base refers to no other object, and is no type with bytes of its own.
fn is_native_owner(base: u64) -> bool {
    if base == 0 {
        return false;
    }
    let kind = Type(memory::word(base, TYPE));
    let has_bytes = |part: Type| {
        part.has(flags::BYTES)
            || matches!(
                part.raw_name().as_slice(),
                b"bytearray" | b"array.array" | b"mmap.mmap" | b"numpy.ndarray"
            )
    };
    kind.raw_name() == b"PyCapsule" || (!kind.has(flags::GC) && !kind.chain().any(has_bytes))
}

/// The base of a view.
pub(super) fn base(o: Object) -> Option<Object> {
    let base = memory::word(o.0, BASE);
    (base != 0).then_some(Object(base))
}

/// The base of a view, the description, and the elements of an owning object array.
pub(super) fn references(o: Object, visit: &mut dyn FnMut(Object)) {
    if let Some(base) = base(o) {
        visit(base);
    }
    let description = memory::word(o.0, DESCRIPTION);
    visit(Object(description));
    if memory::int(description, TYPE_NUMBER) != OBJECTS || memory::int(o.0, FLAGS) & OWNS_DATA == 0 {
        return;
    }
    let (Some((_, bytes)), data) = (shape(o), memory::word(o.0, DATA)) else { return };
    if !contiguous(o) {
        return;
    }
    for index in 0..(bytes / 8).min(MAX_OBJECT_ELEMENTS) {
        let element = memory::word(data + 8 * index, 0);
        if memory::usable(element) {
            visit(Object(element));
        }
    }
}

/// Owned data are contiguous from `data` on; only views have negative strides.
fn contiguous(o: Object) -> bool {
    let strides = memory::word(o.0, STRIDES);
    let count = u64::from(memory::int(o.0, DIMENSIONS).unsigned_abs());
    (0..count).all(|axis| memory::word(strides + 8 * axis, 0).cast_signed() >= 0)
}
