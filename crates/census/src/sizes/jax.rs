//! JAX's arrays.
//!
//! In: a `jax.Array` as jaxlib makes it. Out: its bytes, by the type and the dimensions that the object itself keeps. What must
//! not happen here: a call into JAX, which may wait for a computation. Where the data lies is the runtime's business: the
//! address is not known, and an array on a device counts as its bytes, too.

use super::{Buffer, numpy};
use crate::layout::{TYPE, types};
use crate::memory;
use crate::object::Object;

/// Words of the object that are looked through.
const WORDS: u64 = 64;
/// More dimensions than there can be.
const MOST_DIMENSIONS: u64 = 64;

/// What the array keeps.
pub(super) fn buffers(descriptions: u64, o: Object, visit: &mut dyn FnMut(Buffer)) {
    if let Some((shape, description)) = read(descriptions, o)
        && let Some(bytes) = bytes(&shape, description)
        && bytes > 0
    {
        visit(Buffer { address: 0, bytes, owner: true });
    }
}

/// Whether the array's memory is known.
pub(super) fn is_read(descriptions: u64, o: Object) -> bool {
    read(descriptions, o).is_some_and(|(shape, description)| bytes(&shape, description).is_some())
}

/// Shape and type.
pub(super) fn shape(descriptions: u64, o: Object) -> Option<(Vec<u64>, &'static str)> {
    read(descriptions, o).map(|(shape, description)| (shape, numpy::words_of(description)))
}

fn bytes(shape: &[u64], description: u64) -> Option<u64> {
    let width = numpy::element_size(description)?;
    let bytes = shape.iter().try_fold(width, |product, one| product.checked_mul(*one))?;
    (bytes < 1 << 48).then_some(bytes)
}

/// Dimensions and numpy's description of the elements: these stand one behind the other, whatever stands before them.
/// `descriptions` is the type of the types of all descriptions, 0 without numpy.
fn read(descriptions: u64, o: Object) -> Option<(Vec<u64>, u64)> {
    let words = (memory::word(memory::word(o.0, TYPE), types::BASIC_SIZE) / 8).min(WORDS);
    (2..words.saturating_sub(3)).find_map(|index| {
        let word = |further: u64| memory::word(o.0, 8 * (index + further));
        let (description, begin, end, room) = (word(0), word(1), word(2), word(3));
        let bytes = end.checked_sub(begin)?;
        if !memory::usable(description)
            || end > room
            || !bytes.is_multiple_of(8)
            || bytes / 8 > MOST_DIMENSIONS
        {
            return None;
        }
        // A description by the type of its type; nothing else is of that.
        let [_, kind]: [u64; 2] = memory::peek(description)?;
        let [_, kind_of_kind]: [u64; 2] = memory::peek(kind)?;
        if kind_of_kind != descriptions || descriptions == 0 {
            return None;
        }
        let dimensions = (begin..end).step_by(8).map(|at| memory::peek(at).map(|[one]| one));
        Some((dimensions.collect::<Option<Vec<u64>>>()?, description))
    })
}
