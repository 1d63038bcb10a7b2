//! The chunk of frames that Python gave back last, kept for when it asks for one again.
//!
//! Since 3.11 Python keeps frames in chunks of 16 KiB, which come from its arena functions. A call that crosses the end of a
//! chunk maps one, and unmaps it when it returns: 19,700 times while TensorFlow is imported, a twentieth of the time that takes.
//! It costs more where the chunk touches another mapping of the same kind, which the kernel then joins and splits again. Where
//! it comes to lie depends on what else is mapped, ours included: a training of an LSTM spent 0.2 to 0.4 % more of its time in
//! `munmap` under the recorder than without.
//!
//! In: chunks that are given back. Out: one of them, in place of a new one. What must not happen here: a wait, or more than
//! one chunk that nobody uses. Nothing relies on zeros in it: Python's arena functions promise none.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// Bytes of a chunk; one for larger frames is larger, and rare.
pub(super) const SIZE: usize = 16 << 10;

/// Room for one chunk. Interpreters with a GIL each may come at once.
pub(super) struct Chunk(AtomicPtr<c_void>);

impl Chunk {
    pub(super) const fn new() -> Self {
        Self(AtomicPtr::new(null_mut()))
    }

    /// What was kept, if so many bytes are a chunk.
    pub(super) fn take(&self, size: usize) -> Option<*mut c_void> {
        if size != SIZE || self.0.load(Relaxed).is_null() {
            return None;
        }
        let kept = self.0.swap(null_mut(), Acquire);
        (!kept.is_null()).then_some(kept)
    }

    /// Whether this is kept now, which is being given back.
    pub(super) fn keep(&self, at: *mut c_void, size: usize) -> bool {
        size == SIZE && self.0.compare_exchange(null_mut(), at, Release, Relaxed).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn one_chunk_is_kept_and_nothing_of_another_size() {
        let (chunk, mut places) = (Chunk::new(), [0_u8; 3]);
        let [one, other, arena] = places.each_mut().map(|place| std::ptr::from_mut(place).cast());
        assert_eq!(chunk.take(SIZE), None);
        assert!(!chunk.keep(arena, 1 << 20));
        assert!(chunk.keep(one, SIZE));
        assert!(!chunk.keep(other, SIZE), "it is given back for good");
        assert_eq!(chunk.take(1 << 20), None);
        assert_eq!(chunk.take(SIZE), Some(one));
        assert_eq!(chunk.take(SIZE), None);
    }

    #[test]
    fn threads_never_get_the_same() {
        let rounds = if cfg!(miri) { 50 } else { 500_000 };
        let all_at_once = std::sync::Barrier::new(4);
        let (chunk, is_held) = (Chunk::new(), [const { AtomicBool::new(true) }; 4]);
        let at = |number: usize| std::ptr::without_provenance_mut::<c_void>(number + 1);
        std::thread::scope(|scope| {
            for own in 0..is_held.len() {
                let (chunk, is_held, all_at_once) = (&chunk, &is_held, &all_at_once);
                scope.spawn(move || {
                    // Two have one, two wait for what these give back.
                    let mut held = (own % 2 == 0).then_some(own);
                    all_at_once.wait();
                    for _ in 0..rounds {
                        if let Some(number) = held {
                            is_held[number].store(false, Relaxed);
                            if chunk.keep(at(number), SIZE) {
                                held = None;
                            } else {
                                is_held[number].store(true, Relaxed);
                            }
                        }
                        if held.is_none() {
                            held = chunk.take(SIZE).map(|kept| kept.addr() - 1);
                            assert!(held.is_none_or(|number| !is_held[number].swap(true, Relaxed)));
                        }
                    }
                });
            }
        });
    }
}
