//! JAX arrays.
//!
//! In: a `jax.Array` as jaxlib makes it. Out: its bytes, from the type and dimensions in the object itself.
//! What must not happen here: a call into JAX, which may wait for a computation. The runtime hides the data's
//! address, and an array on a device counts with its bytes, too.

use super::{Buffer, numpy};
use crate::layout::{TYPE, types};
use crate::memory;
use crate::object::Object;

/// Words of the object that are searched.
const MAX_OBJECT_WORDS: u64 = 64;
/// More dimensions than any array has.
const MAX_JAX_DIMENSIONS: u64 = 64;

/// The data of an array.
pub(super) fn buffers(descriptions: u64, o: Object, visit: &mut dyn FnMut(Buffer)) {
    if let Some((shape, description)) = read(descriptions, o)
        && let Some(bytes) = bytes(&shape, description)
        && bytes > 0
    {
        visit(Buffer { address: 0, bytes, owner: true });
    }
}

/// Whether the array's memory could be sized.
pub(super) fn is_read(descriptions: u64, o: Object) -> bool {
    read(descriptions, o).is_some_and(|(shape, description)| bytes(&shape, description).is_some())
}

/// Shape and element type.
pub(super) fn shape(descriptions: u64, o: Object) -> Option<(Vec<u64>, &'static str)> {
    read(descriptions, o).map(|(shape, description)| (shape, numpy::element_name_of(description)))
}

fn bytes(shape: &[u64], description: u64) -> Option<u64> {
    let width = numpy::element_size(description)?;
    let bytes = shape.iter().try_fold(width, |product, one| product.checked_mul(*one))?;
    (bytes < 1 << 48).then_some(bytes)
}

/// Dimensions and numpy's description of the elements, which stand next to each other anywhere in the object.
/// `descriptions` is the metatype of all descriptions, 0 without numpy.
fn read(descriptions: u64, o: Object) -> Option<(Vec<u64>, u64)> {
    let words = (memory::word(memory::word(o.0, TYPE), types::BASIC_SIZE) / 8).min(MAX_OBJECT_WORDS);
    (2..words.saturating_sub(3)).find_map(|index| {
        let word = |further: u64| memory::word(o.0, 8 * (index + further));
        let (description, begin, end, room) = (word(0), word(1), word(2), word(3));
        let bytes = end.checked_sub(begin)?;
        if !memory::usable(description)
            || end > room
            || !bytes.is_multiple_of(8)
            || bytes / 8 > MAX_JAX_DIMENSIONS
        {
            return None;
        }
        // A description is recognised by its metatype, which nothing else has.
        let [_, kind]: [u64; 2] = memory::peek(description)?;
        let [_, kind_of_kind]: [u64; 2] = memory::peek(kind)?;
        if kind_of_kind != descriptions || descriptions == 0 {
            return None;
        }
        let dimensions = (begin..end).step_by(8).map(|at| memory::peek(at).map(|[one]| one));
        Some((dimensions.collect::<Option<Vec<u64>>>()?, description))
    })
}
