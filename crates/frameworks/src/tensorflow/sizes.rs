//! TensorFlow's eager tensors and variables.
//!
//! In: objects of these types. Out: their bytes, and TensorFlow's addresses of them. What must not happen
//! here: a call into TensorFlow. Every function that tells a shape waits for the operation that computes the
//! tensor, and that operation may wait for the GIL. So the handle is read in place, through the kernel, and
//! trusted only if shape, element count, type and buffer agree. An unfinished handle has no buffer and no
//! bytes yet.

use nilometer_census::{Buffer, Object, Python, Reader, Sizes, peek, usable, word};

/// Word indexes where an `EagerTensor` may keep its handle; its id stands behind it.
const HANDLE_INDEXES: std::ops::Range<u64> = 2..13;
/// Words of a handle that are searched for its tensor.
const HANDLE_WORDS: usize = 56;
/// Words of a `tensorflow::Tensor`: two of shape, the element count, the buffer.
const TENSOR_WORDS: usize = 4;
/// Bytes of a `Tensor`'s buffer object, without the data.
const BUFFER_BYTES: u64 = 48;

/// An eager tensor.
#[derive(Debug)]
pub(super) struct EagerTensor;

impl Reader for EagerTensor {
    fn buffers(&self, _: &Sizes<'_>, o: Object, visit: &mut dyn FnMut(Buffer)) {
        tensor(o, visit);
    }

    fn shape(&self, _: &Sizes<'_>, o: Object) -> Option<(Vec<u64>, &'static str)> {
        let tensor = read(o)?;
        Some((tensor.shape?, element(tensor.element)?.1))
    }
}

/// A variable.
#[derive(Debug)]
pub(super) struct Variable;

impl Reader for Variable {
    fn buffers(&self, sizes: &Sizes<'_>, o: Object, visit: &mut dyn FnMut(Buffer)) {
        variable(sizes.python(), o, visit);
    }

    fn shape(&self, sizes: &Sizes<'_>, o: Object) -> Option<(Vec<u64>, &'static str)> {
        let (shape, number) = variable_facts(sizes.python(), o)?;
        Some((shape, element(number)?.1))
    }
}

/// The eager context, from which everything of TensorFlow's is reachable.
#[derive(Debug)]
pub(super) struct Context;

impl Reader for Context {
    fn has_buffers(&self) -> bool {
        false
    }

    fn leads_everywhere(&self) -> bool {
        true
    }
}

/// Bytes of an eager tensor.
pub(super) fn tensor_bytes(o: Object) -> u64 {
    let mut bytes = 0;
    tensor(o, &mut |buffer| bytes += buffer.bytes);
    bytes
}

/// A tensor as its handle describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tensor {
    handle: u64,
    /// Known bytes of the handle: up to the end of the tensor in it.
    handle_bytes: u64,
    buffer: u64,
    data: u64,
    elements: u64,
    element: u8,
    /// `None` if the dimensions are stored elsewhere.
    shape: Option<Vec<u64>>,
}

/// Bytes and names of TensorFlow's types by number; 0 bytes: the element size is unknown.
const ELEMENTS: [(u64, &str); 31] = [
    (0, ""),
    (4, "float32"),
    (8, "float64"),
    (4, "int32"),
    (1, "uint8"),
    (2, "int16"),
    (1, "int8"),
    (24, "string"),
    (8, "complex64"),
    (8, "int64"),
    (1, "bool"),
    (1, "qint8"),
    (1, "quint8"),
    (4, "qint32"),
    (2, "bfloat16"),
    (2, "qint16"),
    (2, "quint16"),
    (2, "uint16"),
    (16, "complex128"),
    (2, "float16"),
    (0, "resource"),
    (0, "variant"),
    (4, "uint32"),
    (8, "uint64"),
    (1, "float8_e5m2"),
    (1, "float8_e4m3fn"),
    (1, "float8_e4m3fnuz"),
    (1, "float8_e4m3b11fnuz"),
    (1, "float8_e5m2fnuz"),
    (1, "int4"),
    (1, "uint4"),
];

fn element(number: u8) -> Option<(u64, &'static str)> {
    ELEMENTS.get(usize::from(number)).copied().filter(|(_, name)| !name.is_empty())
}

/// The memory of an eager tensor: handle, buffer, data.
fn tensor(o: Object, visit: &mut dyn FnMut(Buffer)) {
    let Some(tensor) = read(o) else { return };
    let mut owned = |address, bytes| visit(Buffer { address, bytes, owner: true });
    owned(tensor.handle, tensor.handle_bytes);
    if tensor.buffer != 0 {
        owned(tensor.buffer, BUFFER_BYTES);
        let width = element(tensor.element).map_or(0, |(bytes, _)| bytes);
        let bytes = width.saturating_mul(tensor.elements);
        if let Some((root, data, bytes)) = parent_buffer(tensor.buffer, tensor.data, bytes, width) {
            owned(root, BUFFER_BYTES);
            owned(data, bytes);
        } else if bytes > 0 {
            owned(tensor.data, bytes);
        }
    }
}

/// The parent of this buffer, with its data and bytes: rows of a tensor, as in `x[:2]`, keep the whole of it.
/// A slice's fourth word is the parent; a root buffer has its allocator there. So the parent must contain the
/// slice's data.
fn parent_buffer(buffer: u64, data: u64, bytes: u64, width: u64) -> Option<(u64, u64, u64)> {
    let [_, _, _, root]: [u64; 4] = peek(buffer)?;
    if !usable(root) {
        return None;
    }
    let [table, references, begins, _, elements]: [u64; 5] = peek(root)?;
    let all = elements.checked_mul(width).filter(|all| *all < 1 << 48)?;
    let sound = usable(table) && (1..1 << 24).contains(&(references & 0xffff_ffff));
    let is_part = begins != 0 && begins <= data && data.checked_add(bytes)? <= begins.checked_add(all)?;
    (sound && bytes > 0 && is_part).then_some((root, begins, all))
}

/// The tensor of an `EagerTensor`.
fn read(o: Object) -> Option<Tensor> {
    let size = o.basic_size();
    let at = HANDLE_INDEXES.map(|index| 8 * index).find(|at| *at < size && word(o.address(), *at) != 0)?;
    let handle = word(o.address(), at);
    let words: [u64; HANDLE_WORDS] = peek(handle)?;
    if !usable(*words.first()?) {
        return None;
    }
    // The handle keeps its tensor last, and foreign memory may follow: a pattern must hold in every part.
    words.windows(TENSOR_WORDS).enumerate().skip(2).find_map(|(index, window)| {
        let window: &[u64; TENSOR_WORDS] = window.try_into().ok()?;
        let (elements, number, shape) = pattern(*window)?;
        let [_, _, _, buffer] = *window;
        let [table, references, data]: [u64; 3] = peek(buffer)?;
        let sound = usable(table) && (1..1 << 24).contains(&(references & 0xffff_ffff));
        (sound && data != 0).then_some(Tensor {
            handle,
            handle_bytes: 8 * (index + 2 * TENSOR_WORDS) as u64,
            buffer,
            data,
            elements,
            element: number,
            shape,
        })
    })
}

/// Elements, type and shape, if four words can be a tensor with a buffer. The dimensions have 16 or 32 bits
/// or are a pointer; the last bytes hold type, number of dimensions and form.
fn pattern(words: [u64; TENSOR_WORDS]) -> Option<(u64, u8, Option<Vec<u64>>)> {
    let [low, high, elements, buffer] = words;
    let [number, dimensions, form] = [(high >> 40) as u8, (high >> 48) as u8, (high >> 56) as u8];
    element(number)?;
    if !usable(buffer) || elements == 0 || elements >= 1 << 48 {
        return None;
    }
    let pack = u128::from(high) << 64 | u128::from(low);
    let shape: Vec<u64> = match (form, dimensions) {
        (0, 0..=6) => (0..dimensions).map(|axis| (pack >> (16 * u32::from(axis))) as u64 & 0xffff).collect(),
        (1, 1..=3) => {
            (0..dimensions).map(|axis| (pack >> (32 * u32::from(axis))) as u64 & 0xffff_ffff).collect()
        }
        (2, 1..=254) if usable(low) => return Some((elements, number, None)),
        _ => return None,
    };
    let product = shape.iter().try_fold(1_u64, |product, one| product.checked_mul(*one));
    (product == Some(elements)).then_some((elements, number, Some(shape)))
}

/// A variable's value is in TensorFlow's own tables; its bytes follow from the Python-side shape and type.
fn variable(python: &Python, o: Object, visit: &mut dyn FnMut(Buffer)) {
    let Some((shape, number)) = variable_facts(python, o) else { return };
    let Some((width, _)) = element(number) else { return };
    let bytes = shape.iter().fold(width, |product, one| product.saturating_mul(*one));
    if bytes > 0 && bytes < 1 << 48 {
        visit(Buffer { address: 0, bytes, owner: true });
    }
}

fn variable_facts(python: &Python, o: Object) -> Option<(Vec<u64>, u8)> {
    let shape = python.attribute(o, b"_shape")?;
    let mut dimensions = None;
    // `TensorShape` keeps a tuple of its dimensions in a slot.
    python.traverse(shape, &mut |child| {
        if dimensions.is_none() {
            dimensions = python.integers_of_tuple(child);
        }
    });
    let kind = python.attribute(o, b"_dtype")?;
    // An object that wraps a C++ one, which begins with the type number.
    let [number]: [u64; 1] = peek(word(kind.address(), 16))?;
    Some((dimensions?, u8::try_from(number & 0xffff_ffff).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUFFER_BYTES: u64 = 0x5555_0000;

    #[test]
    fn tensors_as_their_handles_have_them() {
        // (2000, 7) float32; () float32 with leftovers of another shape; (3, 70000, 2) float64.
        assert_eq!(
            pattern([0x557d_0007_07d0, 0x0002_01fb_73d6_20d0, 14000, BUFFER_BYTES]),
            Some((14000, 1, Some(vec![2000, 7])))
        );
        assert_eq!(
            pattern([0x7ffc_4d80_c060, 0x0000_01fc_4d80_bf90, 1, BUFFER_BYTES]),
            Some((1, 1, Some(vec![])))
        );
        assert_eq!(
            pattern([0x0001_1170_0000_0003, 0x0103_0200_0000_0002, 420_000, BUFFER_BYTES]),
            Some((420_000, 2, Some(vec![3, 70000, 2])))
        );
        assert_eq!(pattern([BUFFER_BYTES, 0x0207_0100_0000_0000, 5, BUFFER_BYTES]), Some((5, 1, None)));
    }

    #[test]
    fn what_is_no_tensor() {
        for words in [
            [0; 4],
            [0x557d_0007_07d0, 0x0002_01fb_73d6_20d0, 13999, BUFFER_BYTES], // another number of elements
            [0x557d_0007_07d0, 0x0002_01fb_73d6_20d0, 14000, 0],            // not ready
            [0x557d_0007_07d0, 0x0002_01fb_73d6_20d0, 14000, 0x5555_0001],
            [0x557d_0007_07d0, 0x0002_00fb_73d6_20d0, 14000, BUFFER_BYTES], // no type
            [0x557d_0007_07d0, 0x0002_fffb_73d6_20d0, 14000, BUFFER_BYTES],
            [0x557d_0007_07d0, 0x0302_01fb_73d6_20d0, 14000, BUFFER_BYTES], // no such form
        ] {
            assert_eq!(pattern(words), None, "{words:x?}");
        }
    }
}
