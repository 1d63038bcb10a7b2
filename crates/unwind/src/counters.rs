//! Counts the objects that the loader has unloaded, from two of its own counters, without its lock.
//!
//! `dl_iterate_phdr` gives the same number, but holds a lock while other code's callbacks run, and a walk
//! must not wait for them. The counters are in `_rtld_global`. Its first two fields never moved. The later
//! ones are found once by their neighbours: mutexes of a known kind, then a number that `dl_iterate_phdr` has
//! just given. Unless exactly one place fits, the counters count as missing.
#![expect(unsafe_code, reason = "reads the loader's data")]

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::{
    AtomicPtr, AtomicU32, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};

/// Objects that were ever loaded.
static LOADED: AtomicPtr<AtomicU64> = AtomicPtr::new(null_mut());
/// Objects that are loaded now, in the main namespace.
static PRESENT: AtomicPtr<AtomicU32> = AtomicPtr::new(null_mut());

/// Words of a `pthread_mutex_t`, and the kind of a recursive one, in its third word.
const MUTEX_WORDS: usize = 5;
const RECURSIVE_KIND: u64 = 1;
/// Word of `_rtld_global` in which the first namespace counts its objects.
const NAMESPACE_COUNT_WORD: usize = 1;

/// The number of unloaded objects. `None`: unknown. Never ahead of the truth.
#[inline(always)]
pub(crate) fn unloaded() -> Option<u64> {
    let (loaded, present) = (LOADED.load(Acquire), PRESENT.load(Relaxed));
    if loaded.is_null() {
        return None;
    }
    // This order matters: the loader counts a new object as present first.
    // SAFETY: counters in the loader's own data, which stay for the life of the process.
    let (loaded, present) = unsafe { ((*loaded).load(Acquire), (*present).load(Relaxed)) };
    Some(loaded.wrapping_sub(u64::from(present)))
}

/// Searches for the counters; takes locks and may allocate.
pub(crate) fn find() {
    let Some(words) = global() else { return };
    let Some(place) = place(words, ever_loaded()) else { return };
    let (Some(loaded), Some(present)) = (words.get(place), words.get(NAMESPACE_COUNT_WORD)) else { return };
    PRESENT.store(std::ptr::from_ref(present).cast::<AtomicU32>().cast_mut(), Relaxed);
    LOADED.store(std::ptr::from_ref(loaded).cast_mut(), Release);
}

/// `_rtld_global` in words.
fn global() -> Option<&'static [AtomicU64]> {
    const WITH_SYMBOL: c_int = 1;
    unsafe extern "C" {
        fn dladdr1(
            address: *const c_void,
            info: *mut libc::Dl_info,
            extra: *mut *const u64,
            flags: c_int,
        ) -> c_int;
    }
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    let mut symbol = std::ptr::null();
    // SAFETY: looks up a name, then the symbol at its address; a failure is taken out of dlerror again.
    let (base, size) = unsafe {
        let base = libc::dlsym(libc::RTLD_DEFAULT, c"_rtld_global".as_ptr());
        if base.is_null() {
            libc::dlerror();
            return None;
        }
        if dladdr1(base, info.as_mut_ptr(), &raw mut symbol, WITH_SYMBOL) == 0 || symbol.is_null() {
            return None;
        }
        // The third word of an ELF symbol is its size.
        (base, *symbol.add(2))
    };
    if !base.cast::<u64>().is_aligned() || !(256..1 << 16).contains(&size) {
        return None;
    }
    // SAFETY: the symbol's extent; other threads write it, so the words are atomic.
    Some(unsafe { std::slice::from_raw_parts(base.cast::<AtomicU64>(), size as usize / 8) })
}

/// The loader's count of objects ever loaded.
fn ever_loaded() -> u64 {
    unsafe extern "C" fn first(info: *mut libc::dl_phdr_info, _size: usize, loaded: *mut c_void) -> c_int {
        // SAFETY: the loader's record, and the number below.
        unsafe { *loaded.cast::<u64>() = (*info).dlpi_adds };
        1
    }
    let mut loaded = 0u64;
    // SAFETY: the callback stops at the first object.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut loaded).cast()) };
    loaded
}

/// The only word with the value `loaded` behind two or three recursive mutexes, which follow a number of
/// namespaces.
fn place(words: &[AtomicU64], loaded: u64) -> Option<usize> {
    let word = |at: usize| words.get(at).map(|it| it.load(Relaxed));
    let mutex = |at: usize| {
        word(at + 2) == Some(RECURSIVE_KIND) && word(at + 3) == Some(0) && word(at + 4) == Some(0)
    };
    let fits = |&at: &usize| {
        let locks = (0..4)
            .take_while(|&back| at >= (back + 1) * MUTEX_WORDS && mutex(at - (back + 1) * MUTEX_WORDS))
            .count();
        let namespaces = at.checked_sub(locks * MUTEX_WORDS + 1).and_then(word);
        word(at) == Some(loaded) && matches!(locks, 2 | 3) && matches!(namespaces, Some(1..=16))
    };
    let mut places = (NAMESPACE_COUNT_WORD + 1..words.len()).filter(fits);
    match (places.next(), places.next()) {
        (Some(place), None) if loaded > 0 => Some(place),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{ever_loaded, find, place, unloaded};
    use std::sync::atomic::AtomicU64;

    #[test]
    fn found_in_this_glibc_and_right() {
        find();
        assert!(unloaded().is_some_and(|gone| gone < ever_loaded()));
    }

    fn memory(namespaces: u64, locks: usize, loaded: u64) -> Vec<AtomicU64> {
        let mut words = vec![7, 5, 0, 9, 9, namespaces];
        for _ in 0..locks {
            words.extend([3, 1, 1, 0, 0]);
        }
        words.extend([loaded, 0, 0, 1, 0, 0, loaded]);
        words.into_iter().map(AtomicU64::new).collect()
    }

    #[test]
    fn only_a_place_with_the_right_neighbours_is_taken() {
        assert_eq!(place(&memory(1, 2, 42), 42), Some(16));
        assert_eq!(place(&memory(1, 3, 42), 42), Some(21));
        assert_eq!(place(&memory(1, 3, 42), 41), None);
        assert_eq!(place(&memory(1, 1, 42), 42), None);
        assert_eq!(place(&memory(17, 2, 42), 42), None);
        assert_eq!(place(&memory(0, 2, 42), 42), None);
        let twice: Vec<_> = memory(1, 2, 42).into_iter().chain(memory(1, 2, 42)).collect();
        assert_eq!(place(&twice, 42), None);
        assert_eq!(place(&[], 1), None);
    }
}
