#![expect(unsafe_code, reason = "asks the C library about its allocator through symbols found at run time")]
//! The C allocator's own figures.
//!
//! In: nothing. Out: [`Heap`], or why there is none. The symbols are looked up at run time: `mallinfo2` came with glibc
//! 2.33, other C libraries have neither, and a program may run with another allocator preloaded, whose memory glibc
//! knows nothing of. What must not happen here: allocation while reading; figures of an allocator that nobody uses.

use std::ffi::{CStr, c_int, c_void};

use crate::recorder::allocator_behind;

/// glibc's figures, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Heap {
    pub(crate) in_use: u64,
    pub(crate) mapped: u64,
    pub(crate) free: u64,
    pub(crate) system: u64,
}

/// `struct mallinfo` and `struct mallinfo2` of `malloc.h`: ten numbers, `int` or `size_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Figures<T> {
    arena: T,
    ordblks: T,
    smblks: T,
    hblks: T,
    hblkhd: T,
    usmblks: T,
    fsmblks: T,
    uordblks: T,
    fordblks: T,
    keepcost: T,
}

/// Where the figures come from in this process.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// `mallinfo2`.
    Wide(unsafe extern "C" fn() -> Figures<usize>),
    /// `mallinfo`, whose numbers wrap at 4 GiB.
    Narrow(unsafe extern "C" fn() -> Figures<c_int>),
    /// Nowhere.
    Absent,
}

/// The allocator of this process: its figures, and its name where it is not glibc's own.
#[derive(Debug)]
pub(crate) struct Allocator {
    pub(crate) source: Source,
    pub(crate) foreign: Option<String>,
}

/// A program that came as far as loading this module has more than this from its allocator.
const UNUSED: u64 = 64 << 10;

impl Allocator {
    /// Finds out which allocator serves this process. Allocates; for the start only.
    pub(crate) fn find() -> Self {
        let source = Source::find();
        let home = match allocator_behind() {
            Some(behind) => object_at(behind),
            None => object_of(c"malloc"),
        };
        let is_elsewhere = match (&home, object_of(c"gnu_get_libc_version")) {
            // An executable's own entry for `malloc` may be just its jump into the C library.
            (Some((malloc, name)), Some((libc, _))) => *malloc != libc && is_library(name),
            (Some(_), None) => true,
            (None, _) => false,
        };
        let unused = source.read(None).is_some_and(|heap| heap.system.saturating_add(heap.mapped) < UNUSED);
        if is_elsewhere || unused {
            let name = home.map_or_else(|| "unknown".to_owned(), |(_, path)| file_name(&path).to_owned());
            return Self { source: Source::Absent, foreign: Some(name) };
        }
        Self { source, foreign: None }
    }
}

impl Source {
    fn find() -> Self {
        if let Some(symbol) = symbol(c"mallinfo2") {
            // SAFETY: glibc declares `struct mallinfo2 mallinfo2(void)`; `Figures<usize>` is that struct.
            return Self::Wide(unsafe {
                std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> Figures<usize>>(symbol)
            });
        }
        match symbol(c"mallinfo") {
            // SAFETY: glibc declares `struct mallinfo mallinfo(void)`; `Figures<c_int>` is that struct.
            Some(symbol) => Self::Narrow(unsafe {
                std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> Figures<c_int>>(symbol)
            }),
            None => Self::Absent,
        }
    }

    /// Reads the figures. `private` is the process's private data (`VmData`), an upper bound for each of them: the narrow
    /// source is believed only where none can have wrapped.
    pub(crate) fn read(self, private: Option<u64>) -> Option<Heap> {
        match self {
            Self::Wide(call) => {
                // SAFETY: takes no argument, takes only the arenas' own locks, callable from any thread.
                let figures = unsafe { call() };
                Some(Heap {
                    in_use: figures.uordblks as u64,
                    mapped: figures.hblkhd as u64,
                    free: figures.fordblks as u64,
                    system: figures.arena as u64,
                })
            }
            Self::Narrow(call) => {
                private.filter(|private| u32::try_from(*private).is_ok())?;
                // SAFETY: as above.
                let figures = unsafe { call() };
                let wide = |figure: c_int| u64::from(figure.cast_unsigned());
                Some(Heap {
                    in_use: wide(figures.uordblks),
                    mapped: wide(figures.hblkhd),
                    free: wide(figures.fordblks),
                    system: wide(figures.arena),
                })
            }
            Self::Absent => None,
        }
    }
}

/// Where the process finds a function of this name.
pub(crate) fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name is a C string; RTLD_DEFAULT searches what is loaded, in the order that calls resolve.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

/// The load address and the path of the object that a symbol resolves to.
fn object_of(name: &CStr) -> Option<(usize, String)> {
    object_at(symbol(name)?)
}

/// The load address and the path of the object that this address is in.
fn object_at(address: *const c_void) -> Option<(usize, String)> {
    // SAFETY: Dl_info is a plain struct of pointers, for which all zeros is a value.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: `info` is ours to be written.
    if unsafe { libc::dladdr(address, &raw mut info) } == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: dladdr gave a C string that lives as long as the object is loaded, which `malloc`'s owner stays.
    let path = unsafe { CStr::from_ptr(info.dli_fname) };
    Some((info.dli_fbase as usize, path.to_string_lossy().into_owned()))
}

fn is_library(path: &str) -> bool {
    file_name(path).contains(".so")
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// CPU time that this thread has used, in nanoseconds.
pub(crate) fn thread_cpu_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec of our own; the clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_big_block_shows_as_mapped_and_small_ones_as_in_use() {
        let Allocator { source, foreign } = Allocator::find();
        if foreign.is_some() {
            return; // the tests themselves run under another allocator
        }
        let before = source.read(Some(0));
        let big = vec![1_u8; 64 << 20];
        let small: Vec<Vec<u8>> = (0..10_000).map(|_| vec![1_u8; 1000]).collect();
        let after = source.read(Some(0));
        drop(std::hint::black_box((big, small)));
        let (Some(before), Some(after)) = (before, after) else { return };
        assert!(after.mapped >= before.mapped + (64 << 20));
        assert!(after.in_use >= before.in_use + 9_000_000, "{before:?} {after:?}");
    }

    #[test]
    fn narrow_figures_are_not_believed_where_they_may_have_wrapped() {
        unsafe extern "C" fn figures() -> Figures<c_int> {
            let high = i32::MIN; // 2 GiB as a wrapped int
            Figures {
                arena: high,
                ordblks: 0,
                smblks: 0,
                hblks: 0,
                hblkhd: 4096,
                usmblks: 0,
                fsmblks: 0,
                uordblks: high,
                fordblks: 0,
                keepcost: 0,
            }
        }
        let source = Source::Narrow(figures);
        assert_eq!(source.read(Some(5 << 30)), None);
        assert_eq!(source.read(None), None);
        let heap = Heap { in_use: 2 << 30, mapped: 4096, free: 0, system: 2 << 30 };
        assert_eq!(source.read(Some(3 << 30)), Some(heap));
    }
}
