#![expect(unsafe_code, reason = "reads another program's structures at addresses found in them")]
//! Reads CPython's memory.
//!
//! In: addresses that CPython's own structures name. Out: their words, or `None` for an impossible address.
//! The contract that no type expresses: every address was read from a structure that the calling thread keeps
//! alive (its thread state, its frames, their code objects and strings), at an offset that [`crate::detect`]
//! checked against the running version. What must not happen here: a write; a read at null or at an odd
//! address.

/// Nothing is mapped below; `vm.mmap_min_addr` is 64 KiB, and containers may lower it.
const MIN_ADDRESS: u64 = 4096;
/// The end of user space with four-level page tables. Linux maps above it only on request.
const ADDRESS_END: u64 = 1 << 47;

fn usable(address: u64, align: u64) -> bool {
    (MIN_ADDRESS..ADDRESS_END).contains(&address) && address.is_multiple_of(align)
}

/// Address of a field.
fn field(object: u64, offset: u16) -> u64 {
    object.wrapping_add(u64::from(offset))
}

/// The word at `offset` in `object`.
pub(crate) fn word(object: u64, offset: u16) -> Option<u64> {
    let address = field(object, offset);
    if !usable(object, 8) || !usable(address, 8) {
        return None;
    }
    // SAFETY: aligned, not null, and by this module's contract inside a live structure.
    Some(unsafe { (address as *const u64).read_volatile() })
}

/// The C `int` at `offset` in `object`.
pub(crate) fn int(object: u64, offset: u16) -> Option<i32> {
    let address = field(object, offset);
    if !usable(object, 8) || !usable(address, 4) {
        return None;
    }
    // SAFETY: as in `word`.
    Some(unsafe { (address as *const i32).read_volatile() })
}

/// The byte at `offset` in `object`.
pub(crate) fn byte(object: u64, offset: u16) -> Option<u8> {
    if !usable(object, 8) {
        return None;
    }
    // SAFETY: not null, and by this module's contract inside a live structure.
    Some(unsafe { (field(object, offset) as *const u8).read_volatile() })
}

/// The result of `read` for the `length` bytes at `offset` in `object`, which must be immutable (a `bytes` or
/// `str`).
pub(crate) fn bytes<T>(object: u64, offset: u16, length: u64, read: impl FnOnce(&[u8]) -> T) -> Option<T> {
    let start = field(object, offset);
    if !usable(object, 8) || !usable(start.checked_add(length)?, 1) {
        return None;
    }
    // SAFETY: not null, inside user space, and by this module's contract the immutable content of a live
    // object; the borrow does not outlive it.
    Some(read(unsafe { std::slice::from_raw_parts(start as *const u8, length as usize) }))
}
