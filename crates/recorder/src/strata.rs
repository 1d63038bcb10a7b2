//! What is sampled alike: a class of sizes, of threads that run Python or of those that do not.
//!
//! In: a class and a thread. Out: the number of their stratum. A training's pool threads ask for tensors of the same classes as the program's
//! own lines do, and a hundred times as often: 9,300 of 64 to 128 KiB per second in a small one, beside 25 of the thread that runs
//! Python. Sampled together, the array that a callback keeps of each epoch was seen in one epoch of thirty. Pure.

use std::sync::atomic::Ordering::Relaxed;

use crate::alloc_class::AllocClass;
use crate::tls::{Block, class};

/// Classes told apart: what is larger than the last is in it.
const CLASSES: usize = 32;
/// All of both kinds of threads, those that do not run Python first.
pub(crate) const STRATA: usize = 2 * CLASSES;

const _: () = assert!(STRATA <= u64::BITS as usize, "a bit for each");

/// The class that a stratum's sizes are of.
pub(crate) fn class_of(stratum: usize) -> usize {
    stratum % CLASSES
}

/// The stratum of a class, of a thread that runs Python or of one that does not.
pub(crate) fn stratum(class: usize, runs_python: bool) -> usize {
    class.min(CLASSES - 1) + if runs_python { CLASSES } else { 0 }
}

impl AllocClass {
    /// What it is sampled alike with.
    pub(crate) fn stratum(self) -> usize {
        stratum(class(self.size as usize), self.runs_python())
    }
}

impl Block {
    /// The stratum of a class on this thread.
    pub(crate) fn stratum(&self, class: usize) -> usize {
        stratum(class, self.runs_python.load(Relaxed))
    }

    /// It makes objects of Python's. It will again: a thread of a framework's pool never does.
    pub(crate) fn note_python(&self) {
        if !self.runs_python.load(Relaxed) {
            self.runs_python.store(true, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use nilometer_capture::Source;

    use super::*;
    use crate::alloc_class::Caller;

    #[test]
    fn each_has_a_place_and_tells_its_class() {
        let all = |runs_python| (0..64).map(move |class| stratum(class, runs_python));
        assert!(all(false).chain(all(true)).all(|stratum| stratum < STRATA));
        assert!(
            all(false).zip(all(true)).all(|(one, other)| one != other && class_of(one) == class_of(other))
        );
        assert!((0..CLASSES).all(|class| class_of(stratum(class, true)) == class));
    }

    #[test]
    fn a_thread_runs_python_once_it_made_an_object() {
        let block = Block::default();
        assert_eq!(block.stratum(16), stratum(16, false));
        block.note_python();
        assert_eq!(block.stratum(16), stratum(16, true));
    }

    #[test]
    fn what_is_tried_is_of_the_stratum_that_it_is_sampled_in() {
        let of = |caller| AllocClass::of(8000, Source::Malloc, caller).expect("small enough").stratum();
        assert_eq!([Caller::Main, Caller::Python, Caller::Native].map(of), [44, 44, 12]);
    }
}
