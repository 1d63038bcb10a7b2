//! JAX arrays.
//!
//! In: a `jax.Array` as jaxlib makes it. Out: its bytes, from the type and dimensions in the object itself.
//! What must not happen here: a call into JAX, which may wait for a computation. The runtime hides the data's
//! address, and an array on a device counts with its bytes, too.

use nilometer_census::{Buffer, Object, Reader, Sizes, element_name_of, element_size, peek, usable, word};

/// Words of the object that are searched.
const MAX_OBJECT_WORDS: u64 = 64;
/// More dimensions than any array has.
const MAX_JAX_DIMENSIONS: u64 = 64;

/// An array.
#[derive(Debug)]
pub(super) struct Array;

impl Reader for Array {
    fn buffers(&self, sizes: &Sizes<'_>, o: Object, visit: &mut dyn FnMut(Buffer)) {
        if let Some((shape, description)) = read(sizes.descriptions(), o)
            && let Some(bytes) = bytes(&shape, description)
            && bytes > 0
        {
            visit(Buffer { address: 0, bytes, owner: true });
        }
    }

    fn is_opaque(&self, sizes: &Sizes<'_>, o: Object) -> bool {
        read(sizes.descriptions(), o).is_none_or(|(shape, description)| bytes(&shape, description).is_none())
    }

    fn shape(&self, sizes: &Sizes<'_>, o: Object) -> Option<(Vec<u64>, &'static str)> {
        read(sizes.descriptions(), o).map(|(shape, description)| (shape, element_name_of(description)))
    }
}

fn bytes(shape: &[u64], description: u64) -> Option<u64> {
    let width = element_size(description)?;
    let bytes = shape.iter().try_fold(width, |product, one| product.checked_mul(*one))?;
    (bytes < 1 << 48).then_some(bytes)
}

/// Dimensions and numpy's description of the elements, which stand next to each other anywhere in the object.
/// `descriptions` is the metatype of all descriptions, 0 without numpy.
fn read(descriptions: u64, o: Object) -> Option<(Vec<u64>, u64)> {
    let words = (o.basic_size() / 8).min(MAX_OBJECT_WORDS);
    (2..words.saturating_sub(3)).find_map(|index| {
        let word = |further: u64| word(o.address(), 8 * (index + further));
        let (description, begin, end, room) = (word(0), word(1), word(2), word(3));
        let bytes = end.checked_sub(begin)?;
        if !usable(description) || end > room || !bytes.is_multiple_of(8) || bytes / 8 > MAX_JAX_DIMENSIONS {
            return None;
        }
        // A description is recognised by its metatype, which nothing else has.
        let [_, kind]: [u64; 2] = peek(description)?;
        let [_, kind_of_kind]: [u64; 2] = peek(kind)?;
        if kind_of_kind != descriptions || descriptions == 0 {
            return None;
        }
        let dimensions = (begin..end).step_by(8).map(|at| peek(at).map(|[one]| one));
        Some((dimensions.collect::<Option<Vec<u64>>>()?, description))
    })
}
