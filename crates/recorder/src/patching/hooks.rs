//! Which names are patched, with what, and what must have stood there.
//!
//! In: nothing. Out: the list of hooks as this process has them. What must not happen here: a hook found by its name through
//! the linker, which answers with whoever comes first.

use crate::exports::{function_anywhere, function_in, order};

/// Names that take memory away again. They are patched before the others: what is born must not die unseen.
const ENDS: [&[u8]; 9] = [
    b"free",
    b"cfree",
    b"free_sized",
    b"free_aligned_sized",
    b"realloc",
    b"reallocarray",
    b"munmap",
    b"mremap",
    b"_ZN3tsl12BFCAllocator13DeallocateRawEPv",
];

const SKIPPED_PREFIXES: [&[u8]; 10] = [
    b"malloc",
    b"calloc",
    b"memalign",
    b"aligned_alloc",
    b"posix_memalign",
    b"valloc",
    b"pvalloc",
    b"mmap",
    b"mmap64",
    b"_ZN3tsl12BFCAllocator11AllocateRawEmmRKNS_20AllocationAttributesE",
];

pub(super) const COUNT: usize = ENDS.len() + SKIPPED_PREFIXES.len();

/// One name.
#[derive(Clone, Copy)]
pub(super) struct Hook {
    pub(super) name: &'static [u8],
    /// The first eight bytes of the name, zeros behind its end.
    pub(super) begin: u64,
    /// Our function.
    pub(super) ours: u64,
    /// The function that stands behind ours; a place that is bound to another one is left as it is.
    pub(super) real: Real,
    /// It takes memory away.
    pub(super) ends: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Real {
    /// This one alone.
    At(u64),
    /// Whatever is there: our function finds out by itself, call by call.
    Any,
}

pub(super) struct Hooks {
    pub(super) all: [Option<Hook>; COUNT],
    /// Places that are not bound yet would be bound to the functions behind our hooks.
    pub(super) lazy: bool,
}

/// Why there are none.
pub(super) enum No {
    /// The program itself has a `malloc`, which it calls without asking the linker.
    OwnAllocator,
    Hooks,
}

impl Hooks {
    pub(super) fn find() -> Result<Self, No> {
        let own = Self::find as *const () as u64;
        let malloc = function_anywhere(b"malloc").ok_or(No::Hooks)?;
        let library = function_anywhere(b"gnu_get_libc_version").and_then(order);
        let of_malloc = order(malloc);
        if of_malloc == Some(0) {
            return Err(No::OwnAllocator);
        }
        let mut all = [None; COUNT];
        let names = ENDS.into_iter().map(|name| (name, true));
        let names = names.chain(SKIPPED_PREFIXES.into_iter().map(|name| (name, false)));
        for (place, (name, ends)) in all.iter_mut().zip(names) {
            let ours = function_in(own, name).ok_or(No::Hooks)?;
            let real =
                if name.starts_with(b"_Z") { Some(Real::Any) } else { function_anywhere(name).map(Real::At) };
            *place = real.map(|real| Hook { name, begin: begin(name), ours, real, ends });
        }
        Ok(Self { all, lazy: of_malloc == library })
    }

    pub(super) fn get(&self, index: usize) -> Option<&Hook> {
        self.all.get(index)?.as_ref()
    }
}

fn begin(name: &[u8]) -> u64 {
    name.iter().take(8).zip(0..).fold(0, |word, (byte, place)| word | u64::from(*byte) << (8 * place))
}
