//! PyTorch tensors.
//!
//! In: a `torch.Tensor` or a subclass. Out: its storage, with an address so that tensors that share it count
//! once; its shape and type. What must not happen here: a call into PyTorch, or trust in a structure by its
//! offset alone. Fields have moved between versions. So they are read through the kernel, and trusted only if
//! the structure points back at the object and shape, element count and bytes agree. A tensor without a
//! storage of its own (sparse, quantised by others, on a fake device) is not read.

use nilometer_census::{Buffer, MadeBy, Object, Reader, Sizes, Walked, peek, usable, word};

use super::autograd;

/// Offsets at which the object may keep its `TensorImpl`: behind a flag, or at once.
const IMPL_OFFSETS: [u64; 2] = [24, 16];
/// The fields behind it, in their order: tables of hooks.
const HOOKS: [&str; 2] = ["_backward_hooks", "_post_accumulate_grad_hooks"];
/// A flag in the first field after the head, before the `TensorImpl`: 0 or 1, where a pointer is neither.
const MAX_FLAG: u64 = 1;
/// Words of a `TensorImpl` that are searched.
pub(super) const IMPL_WORDS: usize = 24;
/// Dimensions that fit inside the `TensorImpl`; more are stored elsewhere.
const INLINE_DIMENSIONS: usize = 5;
/// Words of sizes and strides behind the number of dimensions.
const INLINE_WORDS: usize = 2 * INLINE_DIMENSIONS;

/// A tensor and its storage.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tensor {
    /// The vtable.
    class: u64,
    storage: u64,
    data: u64,
    /// Bytes of the whole storage, which may be larger than the tensor.
    bytes: u64,
    /// `None` if the dimensions are stored elsewhere.
    shape: Option<Vec<u64>>,
    /// Bytes of one element.
    width: u64,
    element: &'static str,
    /// References to the storage: tensors that share it.
    sharing: u64,
    /// The autograd metadata; 0 if the tensor takes no part.
    differentiation: u64,
}

/// The name of the field that holds `child`; `word` reads the object's word at an offset.
fn hooks(word: impl Fn(u64) -> u64, child: u64) -> Option<&'static str> {
    let [behind_flag, at_once] = IMPL_OFFSETS;
    let implementation = if word(at_once) <= MAX_FLAG { behind_flag } else { at_once };
    let mut fields = (1..).map(|field| word(implementation + 8 * field));
    HOOKS.into_iter().find(|_| fields.next() == Some(child))
}

/// Bytes and names of element types by number.
const ELEMENTS: [(u64, &str); 27] = [
    (1, "uint8"),
    (1, "int8"),
    (2, "int16"),
    (4, "int32"),
    (8, "int64"),
    (2, "float16"),
    (4, "float32"),
    (8, "float64"),
    (4, "complex32"),
    (8, "complex64"),
    (16, "complex128"),
    (1, "bool"),
    (1, "qint8"),
    (1, "quint8"),
    (4, "qint32"),
    (2, "bfloat16"),
    (1, "quint4x2"),
    (1, "quint2x4"),
    (1, "bits1x8"),
    (1, "bits2x4"),
    (1, "bits4x2"),
    (1, "bits8"),
    (2, "bits16"),
    (1, "float8_e5m2"),
    (1, "float8_e4m3fn"),
    (1, "float8_e5m2fnuz"),
    (1, "float8_e4m3fnuz"),
];
/// The half of the word with the references that counts those of one sort.
const REFERENCES: u64 = 0x7fff_ffff;
/// Bytes of a storage object, without its data.
pub(super) const STORAGE_BYTES: u64 = 96;

/// A `torch.Tensor` or a subclass.
#[derive(Debug)]
pub(super) struct AnyTensor;

impl Reader for AnyTensor {
    /// The storage and its data.
    fn buffers(&self, _: &Sizes<'_>, o: Object, visit: &mut dyn FnMut(Buffer)) {
        if let Some(tensor) = read(o) {
            visit(Buffer { address: tensor.storage, bytes: STORAGE_BYTES, owner: true });
            if tensor.bytes > 0 {
                visit(Buffer { address: tensor.data, bytes: tensor.bytes, owner: true });
            }
        }
    }

    /// A differentiable result also keeps its autograd graph, which is C++.
    fn is_opaque(&self, _: &Sizes<'_>, o: Object) -> bool {
        !read(o).is_some_and(|tensor| {
            tensor.differentiation == 0
                || function_of(tensor.differentiation).is_some_and(|made_by| made_by == 0)
        })
    }

    fn shape(&self, _: &Sizes<'_>, o: Object) -> Option<(Vec<u64>, &'static str)> {
        let tensor = read(o)?;
        Some((tensor.shape?, tensor.element))
    }

    /// As rows of a batch do. A subclass, such as a parameter, is told as it is.
    fn cut_from(&self, sizes: &Sizes<'_>, o: Object) -> Option<u64> {
        let name = sizes.python().type_name(sizes.python().type_of(o));
        let is_plain = name.rsplit('.').next() == Some("Tensor");
        if is_plain && self.made_by(o).is_none() { cut_from(o) } else { None }
    }

    /// A tensor keeps its hooks in fields of its own, which no name in Python leads to.
    fn field(&self, word: &dyn Fn(u64) -> u64, child: u64) -> Option<&'static str> {
        hooks(word, child)
    }

    fn may_keep_graph(&self) -> bool {
        true
    }

    fn made_by(&self, o: Object) -> Option<MadeBy> {
        let tensor = read(o)?;
        let function = function_of(tensor.differentiation).filter(|function| *function != 0)?;
        Some(MadeBy { function, class: tensor.class })
    }

    fn walk_graph(
        &self,
        from: MadeBy,
        walked: &mut Walked,
        late: &dyn Fn() -> bool,
        visit: &mut dyn FnMut(u64, u64),
    ) -> bool {
        autograd::walk(from, walked, late, visit)
    }
}

/// The metadata: vtable, a name of four words, the gradient, then the function that made the tensor, 0 for
/// none.
fn function_of(differentiation: u64) -> Option<u64> {
    let [.., made_by] = peek::<7>(differentiation)?;
    Some(made_by)
}

/// Elements of the storage that a much smaller tensor keeps alive, as rows of a batch do. Not so for one of several that together
/// cover most of it, as in a loop over rows: those that share the storage count as parts of the same size.
fn cut_from(o: Object) -> Option<u64> {
    let tensor = read(o)?;
    let own = tensor.shape?.iter().product::<u64>().checked_mul(tensor.width)?;
    (own.saturating_mul(tensor.sharing.max(1)) <= tensor.bytes / 2).then_some(tensor.bytes / tensor.width)
}

fn read(o: Object) -> Option<Tensor> {
    IMPL_OFFSETS.iter().find_map(|place| {
        let words: [u64; IMPL_WORDS] = peek(word(o.address(), *place))?;
        let facts = Facts::of(&words, o.address())?;
        let at = storage_word(&words)?;
        let storage = *words.get(at)?;
        let kept = peek(storage)?;
        let (data, bytes) = data_of(&kept, at)?;
        let fits = facts.least.checked_mul(facts.width)? <= bytes;
        let Facts { shape, width, element, .. } = facts;
        let (class, sharing, differentiation) = (words[0], kept[1] & REFERENCES, *words.get(at + 1)?);
        fits.then_some(Tensor {
            class,
            storage,
            data,
            bytes,
            shape,
            width,
            element,
            sharing,
            differentiation,
        })
    })
}

/// The word with the storage. It stands behind the vtable and one word with both reference counts, or two
/// words with one each. The autograd metadata follow: taken for a storage, they have terabytes.
pub(super) fn storage_word(words: &[u64; IMPL_WORDS]) -> Option<usize> {
    /// Of references of one sort; addresses are higher.
    const MAX_COUNT: u64 = 0xffff;
    match words[2] {
        0 => None,
        1..=MAX_COUNT => Some(3),
        address => usable(address).then_some(2),
    }
}

/// The facts of a `TensorImpl`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Facts {
    shape: Option<Vec<u64>>,
    /// Elements that the storage must at least hold.
    least: u64,
    width: u64,
    element: &'static str,
}

impl Facts {
    /// The word before the number of dimensions points back at the object, perhaps with a tag in its lowest
    /// bits.
    fn of(words: &[u64; IMPL_WORDS], object: u64) -> Option<Facts> {
        let back = words.iter().skip(4).position(|word| *word & !7 == object)? + 4;
        let fields = words.get(back + 1..)?;
        let count = usize::try_from(*fields.first()?).ok().filter(|count| *count <= 64)?;
        let (sizes, rest) = fields.get(1..)?.split_at_checked(INLINE_WORDS)?;
        let [offset, elements, number, ..] = rest else { return None };
        let (width, element) = *ELEMENTS.get(usize::try_from(*number & 0xffff).ok()?)?;
        if count > INLINE_DIMENSIONS {
            return Some(Facts { shape: None, least: 1, width, element });
        }
        let (shape, strides) =
            (sizes.get(..count)?, sizes.get(INLINE_DIMENSIONS..INLINE_DIMENSIONS + count)?);
        let product = shape.iter().try_fold(1_u64, |product, one| product.checked_mul(*one))?;
        let last = shape.iter().zip(strides).try_fold(*offset, |sum, (size, stride)| {
            sum.checked_add(size.saturating_sub(1).checked_mul(*stride)?)
        })?;
        let room = if product == 0 { 0 } else { last.checked_add(1)? };
        (product == *elements && room < 1 << 48).then(|| Facts {
            shape: Some(shape.to_vec()),
            least: room,
            width,
            element,
        })
    }
}

/// Data and bytes of a storage whose first field is at `at`: data, context, deleter, device, bytes.
pub(super) fn data_of(words: &[u64; 8], at: usize) -> Option<(u64, u64)> {
    let (data, bytes) = (*words.get(at)?, *words.get(at + 4)?);
    let sound = (data != 0) == (bytes != 0) && bytes < 1 << 48;
    (usable(*words.first()?) && sound).then_some((data, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_hooks_are_fields_behind_the_implementation() {
        let (first, second) = (0x7f00_0000_1000, 0x7f00_0000_2000);
        let at_once = [1, 0x7f00_0000_0100, 0x7f00_0000_0200, first, second];
        let behind_flag = [1, 0x7f00_0000_0100, 0, 0x7f00_0000_0200, first, second];
        for object in [at_once.as_slice(), behind_flag.as_slice()] {
            let word = |offset: u64| object.get((offset / 8) as usize).copied().unwrap_or(0);
            assert_eq!(hooks(word, first), Some("_backward_hooks"));
            assert_eq!(hooks(word, second), Some("_post_accumulate_grad_hooks"));
            assert_eq!(hooks(word, 0x7f00_0000_0200), None);
        }
    }

    const OBJECT: u64 = 0x7fff_1230;

    fn words(
        dimensions: &[u64],
        strides: &[u64],
        offset: u64,
        elements: u64,
        number: u64,
    ) -> [u64; IMPL_WORDS] {
        let mut words = [0; IMPL_WORDS];
        words[8] = OBJECT | 1;
        words[9] = dimensions.len() as u64;
        words[10..10 + dimensions.len()].copy_from_slice(dimensions);
        words[15..15 + strides.len()].copy_from_slice(strides);
        (words[20], words[21], words[22]) = (offset, elements, 0x5555_0000 | number);
        words
    }

    #[test]
    fn tensors_as_they_stand() {
        let facts = Facts::of(&words(&[3, 4], &[4, 1], 8, 12, 6), OBJECT);
        let expected = Facts { shape: Some(vec![3, 4]), least: 20, width: 4, element: "float32" };
        assert_eq!(facts, Some(expected));
        let expanded = Facts::of(&words(&[1000, 4], &[0, 1], 0, 4000, 7), OBJECT);
        assert_eq!(expanded.map(|facts| facts.least), Some(4));
        assert_eq!(Facts::of(&words(&[], &[], 0, 1, 4), OBJECT).map(|facts| facts.least), Some(1));
        assert_eq!(Facts::of(&words(&[0, 4], &[4, 1], 0, 0, 4), OBJECT).map(|facts| facts.least), Some(0));
    }

    #[test]
    fn the_storage_is_told_from_the_metadata_behind_it() {
        let with = |second, third| {
            let mut words = words(&[3, 4], &[4, 1], 0, 12, 6);
            (words[2], words[3], words[4]) = (second, third, 0x7fff_5000);
            storage_word(&words)
        };
        assert_eq!(with(0x7fff_4000, 0x7fff_5000), Some(2), "one word of counts, then metadata");
        assert_eq!(with(0x7fff_4000, 0), Some(2));
        assert_eq!(with(1, 0x7fff_4000), Some(3), "two words of counts");
        assert_eq!(with(0, 0x7fff_5000), None, "sparse, with metadata");
    }

    #[test]
    fn what_is_no_tensor() {
        assert_eq!(Facts::of(&[0; IMPL_WORDS], OBJECT), None);
        assert_eq!(Facts::of(&words(&[3, 4], &[4, 1], 0, 13, 6), OBJECT), None, "another number of elements");
        assert_eq!(Facts::of(&words(&[3, 4], &[4, 1], 0, 12, 99), OBJECT), None, "no such type");
        assert_eq!(Facts::of(&words(&[3, 4], &[4, 1], 0, 12, 6), OBJECT + 64), None, "another object's");
        assert_eq!(Facts::of(&words(&[1 << 40, 1 << 40], &[1, 1], 0, 12, 6), OBJECT), None);
        assert_eq!(data_of(&[0; 8], 3), None);
    }
}
