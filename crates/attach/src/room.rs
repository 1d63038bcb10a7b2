//! A place for the text of the call: bytes of the process that nobody has a use for.
//!
//! The last page of a library's writable memory is rarely full; from the library's end to the end of that page lie zeros
//! that no allocator knows of. In: the images that stay loaded for the process' life. Out: an address.
//! The loader's own image is not one of them: the loader hands out the rest of its last page itself.

use crate::image::Image;
use crate::memory::Memory;
use crate::refuse::Refusal;

/// Text begins at a multiple of this.
const ALIGNED: u64 = 16;

/// A place with `length` zero bytes, at the end of the first image that has it.
pub(crate) fn find(memory: Memory, images: &[&Image], length: usize) -> Result<u64, Refusal> {
    for image in images {
        let Some((from, to)) = image.tail() else { continue };
        let from = from.next_multiple_of(ALIGNED);
        // Not at its very start: a program may reach a little over the end of what is its own.
        let Some(at) = to.checked_sub(length as u64).map(|at| at - at % ALIGNED) else { continue };
        if at < from {
            continue;
        }
        if memory.bytes(at, length).is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0)) {
            return Ok(at);
        }
    }
    Err(Refusal::NoRoom)
}
