//! A place for the text of the call: spare bytes of the process.
//!
//! The last page of a library's writable memory is rarely full. From the library's end to the end of that
//! page are zeros that no allocator knows. In: images that stay loaded for the process's life. Out: an
//! address. The loader's own image is excluded, because the loader itself uses the rest of its last page.

use crate::image::Image;
use crate::memory::Memory;
use crate::refusal::Refusal;

/// Alignment of the text.
const ALIGN_BYTES: u64 = 16;

/// The address of `length` zero bytes, at the end of the first image that has them.
pub(crate) fn find(memory: Memory, images: &[&Image], length: usize) -> Result<u64, Refusal> {
    for image in images {
        let Some((from, to)) = image.spare_bytes() else { continue };
        let from = from.next_multiple_of(ALIGN_BYTES);
        // Not at the very start: a program may write slightly past its own end.
        let Some(at) = to.checked_sub(length as u64).map(|at| at - at % ALIGN_BYTES) else { continue };
        if at < from {
            continue;
        }
        if memory.bytes(at, length).is_some_and(|bytes| bytes.iter().all(|byte| *byte == 0)) {
            return Ok(at);
        }
    }
    Err(Refusal::NoRoom)
}
