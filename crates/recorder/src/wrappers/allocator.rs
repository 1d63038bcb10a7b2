//! `PyMemAllocatorEx`: the functions of one of Python's domains.

use std::ptr::null_mut;

use super::Memory;

pub(super) type MallocIn = unsafe extern "C" fn(Memory, usize) -> Memory;
pub(super) type CallocIn = unsafe extern "C" fn(Memory, usize, usize) -> Memory;
pub(super) type ReallocIn = unsafe extern "C" fn(Memory, Memory, usize) -> Memory;
pub(super) type FreeIn = unsafe extern "C" fn(Memory, Memory);

#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Allocator {
    pub(super) context: Memory,
    pub(super) malloc: Option<MallocIn>,
    pub(super) calloc: Option<CallocIn>,
    pub(super) realloc: Option<ReallocIn>,
    pub(super) free: Option<FreeIn>,
}

/// Where the functions are, in their order.
pub(super) type Places = [usize; 4];

impl Allocator {
    pub(super) const NONE: Self =
        Self { context: null_mut(), malloc: None, calloc: None, realloc: None, free: None };

    /// `None` if a function is missing.
    pub(super) fn places(&self) -> Option<Places> {
        Some([self.malloc? as usize, self.calloc? as usize, self.realloc? as usize, self.free? as usize])
    }
}
