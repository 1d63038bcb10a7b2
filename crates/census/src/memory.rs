#![expect(unsafe_code, reason = "reads CPython's structures at addresses found in them")]
//! Reads fields of live objects.
//!
//! In: an address that a live structure names, and an offset. Out: the field, or 0 for an address that no
//! object can have. The contract that no type expresses: the address was read from a live structure, under
//! the GIL, and no Python code has run since. Addresses without that certainty go through [`peek`], where the
//! kernel checks. What must not happen here: a write; a read at null or at an odd address.

use std::ffi::c_void;

/// Nothing is mapped below; `vm.mmap_min_addr` is 64 KiB, and containers may lower it.
const MIN_ADDRESS: u64 = 4096;
/// The end of user space with four-level page tables. Linux maps above it only on request.
const ADDRESS_END: u64 = 1 << 47;

/// Whether an object can be at this address.
#[inline]
pub fn usable(address: u64) -> bool {
    (MIN_ADDRESS..ADDRESS_END).contains(&address) && address.is_multiple_of(8)
}

/// The word at `offset` of the live structure at `address`; 0 for an impossible address. Whoever has an address from
/// elsewhere asks [`peek`].
#[inline]
pub fn word(address: u64, offset: u64) -> u64 {
    let at = address.wrapping_add(offset);
    if !usable(address) || !usable(at) {
        return 0;
    }
    // SAFETY: aligned, in user space, and inside a live structure by this module's contract.
    unsafe { (at as *const u64).read_volatile() }
}

/// The C `int` at `offset`; 0 for an impossible address.
#[inline]
pub(crate) fn int(address: u64, offset: u64) -> i32 {
    let at = address.wrapping_add(offset);
    if !usable(address) || !at.is_multiple_of(4) {
        return 0;
    }
    // SAFETY: as in `word`.
    unsafe { (at as *const i32).read_volatile() }
}

/// The byte at `offset`; 0 for an impossible address.
#[inline]
pub(crate) fn byte(address: u64, offset: u64) -> u8 {
    let at = address.wrapping_add(offset);
    if !usable(address) || !(MIN_ADDRESS..ADDRESS_END).contains(&at) {
        return 0;
    }
    // SAFETY: as in `word`.
    unsafe { (at as *const u8).read_volatile() }
}

/// A copy of at most `limit` bytes of the C string at `address`, such as a type's name.
pub(crate) fn c_string(address: u64, limit: u64) -> Vec<u8> {
    let mut text = Vec::new();
    if (MIN_ADDRESS..ADDRESS_END).contains(&address) {
        for index in 0..limit {
            // SAFETY: inside a C string: no earlier byte ended it.
            match unsafe { (address.wrapping_add(index) as *const u8).read_volatile() } {
                0 => break,
                byte => text.push(byte),
            }
        }
    }
    text
}

/// A copy of `length` bytes at `offset` of an immutable object.
pub(crate) fn bytes(address: u64, offset: u64, length: usize) -> Vec<u8> {
    let at = address.wrapping_add(offset);
    if !usable(address) || at.checked_add(length as u64).is_none_or(|end| end >= ADDRESS_END) {
        return Vec::new();
    }
    // SAFETY: in user space, and the content of a live object by this module's contract; the borrow does not
    // outlive it.
    unsafe { std::slice::from_raw_parts(at as *const u8, length) }.to_vec()
}

/// Whether these bytes stand at `offset` of an immutable object.
pub(crate) fn equal(address: u64, offset: u64, expected: &[u8]) -> bool {
    let at = address.wrapping_add(offset);
    if !usable(address) || at.checked_add(expected.len() as u64).is_none_or(|end| end >= ADDRESS_END) {
        return false;
    }
    // SAFETY: as in `bytes`.
    let found = unsafe { std::slice::from_raw_parts(at as *const u8, expected.len()) };
    found == expected
}

/// Asks the processor to prefetch `address`, which may be anything.
#[inline]
pub(crate) fn prefetch(address: u64) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint that never faults, whatever the address.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address as *const i8);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Asks the kernel for large pages behind a table with random access: with 4 KiB pages, each access also
/// waits for address translation. A refusal changes nothing.
pub(crate) fn in_large_pages(table: &[u64]) {
    const PAGE: usize = 4096;
    let (begin, bytes) = (table.as_ptr() as usize, size_of_val(table));
    let (first, end) = (begin.next_multiple_of(PAGE), (begin + bytes) & !(PAGE - 1));
    if first < end {
        // SAFETY: whole pages of the table, which is borrowed; the advice changes no byte of them.
        unsafe { libc::madvise(first as *mut c_void, end - first, libc::MADV_HUGEPAGE) };
    }
}

/// Words from memory that may be unmapped. The kernel copies them, so a wrong address gives `None` and no
/// fault. `None` also where a sandbox forbids the call.
pub fn peek<const WORDS: usize>(address: u64) -> Option<[u64; WORDS]> {
    if !usable(address) {
        return None;
    }
    let mut words = [0_u64; WORDS];
    let size = size_of_val(&words);
    let local = libc::iovec { iov_base: words.as_mut_ptr().cast::<c_void>(), iov_len: size };
    let remote = libc::iovec { iov_base: address as *mut c_void, iov_len: size };
    let read =
        // SAFETY: getpid has no preconditions; the kernel writes at most `size` bytes into `words` and checks
        // the other address.
        unsafe { libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0) };
    (read == size.cast_signed()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_addresses_read_as_nothing() {
        for address in [0, 8, 4088, 0x1001, 1 << 47, u64::MAX - 7, u64::MAX] {
            assert_eq!((word(address, 0), int(address, 0), byte(address, 0)), (0, 0, 0), "{address:x}");
            assert!(bytes(address, 0, 4).is_empty());
            assert_eq!(peek::<1>(address), None);
        }
        assert!(c_string(0, 10).is_empty());
        assert!(bytes(0x1000, 0, usize::MAX).is_empty());
    }

    #[test]
    fn an_unmapped_page_is_an_answer() {
        assert_eq!(peek::<2>(0x10000), None);
        let words = [7_u64, 8, 9];
        assert_eq!(peek::<3>(words.as_ptr() as u64), Some(words));
    }

    #[test]
    fn fields_of_a_structure() {
        let structure = [1_u64, 0x0000_0002_ffff_fff5, u64::from_le_bytes(*b"census\0x")];
        let address = structure.as_ptr() as u64;
        assert_eq!((word(address, 0), word(address, 8)), (1, structure[1]));
        assert_eq!((int(address, 8), int(address, 12), byte(address, 12)), (-11, 2, 2));
        assert_eq!(
            (c_string(address + 16, 100), c_string(address + 16, 3)),
            (b"census".to_vec(), b"cen".to_vec())
        );
        assert_eq!(bytes(address, 16, 2), b"ce");
        assert!(equal(address, 17, b"ensus") && !equal(address, 17, b"ensuS") && !equal(0, 0, b"x"));
    }
}
