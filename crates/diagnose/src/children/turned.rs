//! Pages that a forked child inherited and made its own by writing to them.
//!
//! In: what a child has of anonymous memory, and what of it no other process shares. Out: bytes that passed from the one to the
//! other. What must not happen here: new memory taken for inherited memory. A fork shares all pages; reading a Python object
//! writes its reference count, so a worker that reads its parent's data copies them, page by page. Resident memory does not move
//! by that, the machine's does. It ends when all that was inherited has been copied.

use crate::children::Life;

/// Less than this is what any child touches.
const MIN_TURNED_BYTES: u64 = 8 * 1024 * 1024;

/// Bytes that were shared at first and are private at last; `None` where that is little or was not read twice.
pub(crate) fn private(life: &Life) -> Option<u64> {
    let (first, last) = life.private_before_end()?;
    let gained = last.1.checked_sub(first.1)?;
    let new = anonymous_at(life, last.0)?.saturating_sub(anonymous_at(life, first.0)?);
    gained.checked_sub(new).filter(|turned| *turned >= MIN_TURNED_BYTES)
}

/// Anonymous memory at the reading nearest to a moment.
pub(crate) fn anonymous_at(life: &Life, at_ns: u64) -> Option<u64> {
    life.points.iter().min_by_key(|point| point.0.abs_diff(at_ns)).map(|point| point.1)
}
