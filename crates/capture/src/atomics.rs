//! Checked views into a mapping: the only place that turns its address into references.
//!
//! In: offsets, which may come from the file and be garbage. Out: atomics, or `None` outside of the mapping. What must
//! not happen here: an access outside of the mapping, or a plain reference to bytes that others may write.
#![expect(clippy::cast_ptr_alignment, reason = "checked right after, as offsets come from the file")]
#![expect(unsafe_code, reason = "memory shared between processes has no owner that the compiler knows")]

use std::sync::atomic::{AtomicU32, AtomicU64};

use crate::encode::Sink;
use crate::mapping::Mapping;

/// The aligned `u32` at this offset.
pub(crate) fn u32_at(map: &Mapping, offset: usize) -> Option<&AtomicU32> {
    let place = place(map, offset, size_of::<u32>())?.cast::<u32>();
    // SAFETY: inside the mapping (checked), aligned (checked), and every access to these words is atomic.
    place.is_aligned().then(|| unsafe { AtomicU32::from_ptr(place) })
}

/// The aligned `u64` at this offset.
pub(crate) fn u64_at(map: &Mapping, offset: usize) -> Option<&AtomicU64> {
    let place = place(map, offset, size_of::<u64>())?.cast::<u64>();
    // SAFETY: inside the mapping (checked), aligned (checked), and every access to these words is atomic.
    place.is_aligned().then(|| unsafe { AtomicU64::from_ptr(place) })
}

fn place(map: &Mapping, offset: usize, len: usize) -> Option<*mut u8> {
    (offset.checked_add(len)? <= map.len()).then(|| map.start().wrapping_add(offset))
}

/// The payload of one record that this thread has reserved: nobody else writes there, and nobody reads before the
/// commit. Bytes beyond the reservation are dropped.
pub(crate) struct Payload<'a> {
    map: &'a Mapping,
    next: usize,
    end: usize,
}

impl<'a> Payload<'a> {
    pub(crate) fn new(map: &'a Mapping, offset: usize, len: usize) -> Self {
        Self { map, next: offset, end: offset.saturating_add(len).min(map.len()) }
    }
}

impl Sink for Payload<'_> {
    fn put(&mut self, bytes: &[u8]) {
        let count = bytes.len().min(self.end.saturating_sub(self.next));
        if let Some(target) = place(self.map, self.next, count) {
            // SAFETY: `count` bytes are inside of both; the reservation is this thread's alone; no overlap, since
            // `bytes` is memory of the program.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), target, count) };
        }
        self.next += count;
    }
}
