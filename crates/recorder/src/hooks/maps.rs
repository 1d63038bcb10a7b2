#![expect(unsafe_code, reason = "stands in for functions of the C library")]
//! The hooks of memory mappings. Anonymous ones that can be used are memory; files and mere reservations are not.

use std::ffi::{c_int, c_void};

use nilometer_capture::Source;

use crate::births::{self, New};
use crate::next_allocator;
use crate::state;
use crate::tls::count_down;

type Memory = *mut c_void;

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn mmap(
    at: Memory,
    length: usize,
    access: c_int,
    flags: c_int,
    file: c_int,
    offset: i64,
) -> Memory {
    // SAFETY: what the caller promises.
    unsafe { map(at, length, access, flags, file, offset) }
}

/// As `mmap`, for hooks: a call by that name would go to whoever comes first in the program.
#[inline(always)]
unsafe fn map(at: Memory, length: usize, access: c_int, flags: c_int, file: c_int, offset: i64) -> Memory {
    if flags & libc::MAP_FIXED != 0 && flags & libc::MAP_FIXED_NOREPLACE != libc::MAP_FIXED_NOREPLACE {
        // What lay there is gone.
        gone(at as usize, length);
    }
    // SAFETY: what the caller promises.
    let mapped = unsafe { next_allocator::mmap(at, length, access, flags, file, offset) };
    let is_memory = flags & libc::MAP_ANONYMOUS != 0
        && flags & libc::MAP_NORESERVE == 0
        && access & libc::PROT_WRITE != 0;
    if is_memory && mapped != libc::MAP_FAILED && count_down(length) {
        births::consider(New { address: mapped as usize, size: length, source: Source::Mapping });
    }
    mapped
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn mmap64(
    at: Memory,
    length: usize,
    access: c_int,
    flags: c_int,
    file: c_int,
    offset: i64,
) -> Memory {
    // SAFETY: what the caller promises; the same function here.
    unsafe { map(at, length, access, flags, file, offset) }
}

#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn munmap(at: Memory, length: usize) -> c_int {
    gone(at as usize, length);
    // SAFETY: what the caller promises.
    unsafe { next_allocator::munmap(at, length) }
}

/// C declares the last argument as one that may be missing; it is passed the same way.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn mremap(
    at: Memory,
    old: usize,
    new: usize,
    flags: c_int,
    to: Memory,
) -> Memory {
    let sample = state::recorder().and_then(|recorder| {
        let found = recorder.mappings.take(at as u64, (at as u64).saturating_add(old as u64));
        found.map(|birth| (recorder, birth))
    });
    if flags & libc::MREMAP_FIXED != 0 {
        gone(to as usize, new);
    }
    // SAFETY: what the caller promises.
    let mapped = unsafe { next_allocator::mremap(at, old, new, flags, to) };
    if let Some((recorder, birth)) = sample {
        let whole = birth.address == at as u64
            && birth.size.next_multiple_of(4096) == (old as u64).next_multiple_of(4096);
        if mapped == libc::MAP_FAILED || !whole {
            // Failed, or a part of a sample that moves: what is known stays where it was.
            if !recorder.mappings.insert(&birth) {
                recorder.counts.lost.count(crate::losses::Loss::MappingsFull);
                crate::deaths::died(&recorder, birth.id);
            }
        } else {
            crate::deaths::died(&recorder, birth.id);
            recorder.keep(&birth, mapped as u64, new as u64);
        }
    }
    mapped
}

fn gone(at: usize, length: usize) {
    if let Some(recorder) = state::recorder() {
        recorder.unmapped(at as u64, length as u64);
    }
}
