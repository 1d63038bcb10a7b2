//! What is told apart where memory stays: exact sizes, who was asked for them, and by which kind of thread.
//!
//! In: an allocation. Out: a number for all that are like it. What a program keeps of every cycle has the same size each time, and what
//! a framework's threads make and drop all the while is seldom like it. Two kinds may get the same number: then they are
//! suspected together. Pure.

use nilometer_capture::Source;

/// Larger ones are sampled often enough as they are: no mean is larger than this. Half a megabyte is not, where a training asks for
/// gigabytes per second of like blocks, which it gives back at once.
pub(crate) const MAX_SIZE_BYTES: usize = (1 << 26) - 1;
/// A size is known to so many bits: exactly, if it is small.
const SIZE_BITS: u32 = 14;
/// How many numbers there are.
pub(crate) const KEYS: usize = 1 << KEY_BITS;
const KEY_BITS: u32 = 10;

/// The kinds of threads that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    Main,
    /// Another that runs Python.
    Python,
    /// One that does not: a framework's.
    Native,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AllocClass {
    /// Its number, below [`KEYS`]; odd where the thread runs Python.
    pub(crate) place: u16,
    /// At most [`MAX_SIZE_BYTES`], rounded down to what [`AllocClass::pack`] keeps of it.
    pub(crate) size: u32,
}

impl AllocClass {
    /// `None` for what is never looked at: what is large, mappings, and memory of devices.
    pub(crate) fn of(size: usize, source: Source, caller: Caller) -> Option<Self> {
        let asked = match source {
            Source::Malloc => 0,
            Source::Python => 1,
            Source::Pool => 2,
            _ => return None,
        };
        if size > MAX_SIZE_BYTES {
            return None;
        }
        let kind = (size as u64) << 3 | asked << 1 | u64::from(caller == Caller::Main);
        let place = kind.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - (KEY_BITS - 1));
        let place = (place as u16) << 1 | u16::from(caller != Caller::Native);
        let lost = shift(size as u32);
        Some(Self { place, size: (size as u32 >> lost) << lost })
    }

    /// The thread runs Python.
    pub(crate) fn runs_python(self) -> bool {
        self.place & 1 == 1
    }

    /// In 28 bits.
    pub(crate) fn pack(self) -> u64 {
        let lost = shift(self.size);
        u64::from(self.place) << 18 | u64::from(lost) << SIZE_BITS | u64::from(self.size >> lost)
    }

    /// Of the lowest 28 bits.
    pub(crate) fn unpack(bits: u64) -> Self {
        let lost = (bits >> SIZE_BITS) as u32 & 15;
        let size = (bits as u32 & ((1 << SIZE_BITS) - 1)) << lost;
        Self { place: (bits >> 18) as u16 & (KEYS - 1) as u16, size }
    }
}

/// How many of the lowest bits of a size are not kept.
fn shift(size: u32) -> u32 {
    (u32::BITS - size.leading_zeros()).saturating_sub(SIZE_BITS)
}

const _: () =
    assert!((MAX_SIZE_BYTES >> SIZE_BITS).ilog2() < 15, "four bits hold what is lost of the largest");
const _: () = assert!(KEY_BITS + 4 + SIZE_BITS == 28, "what a trial has room for");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_a_training_are_told_apart() {
        let kinds =
            (1..300_usize).map(|n| (n * 16, Source::Malloc)).chain((1..32).map(|n| (n * 16, Source::Python)));
        let places: std::collections::HashSet<_> = kinds
            .flat_map(|(size, source)| {
                [AllocClass::of(size, source, Caller::Main), AllocClass::of(size, source, Caller::Native)]
            })
            .map(|key| key.expect("small enough").place)
            .collect();
        assert!(
            places.len() > 400 && places.iter().all(|place| usize::from(*place) < KEYS),
            "{}",
            places.len()
        );
    }

    #[test]
    fn what_is_large_or_no_memory_of_the_process_has_none() {
        assert!(AllocClass::of(MAX_SIZE_BYTES + 1, Source::Malloc, Caller::Main).is_none());
        assert!(
            AllocClass::of(4096, Source::Mapping, Caller::Main).is_none()
                && AllocClass::of(4096, Source::Device, Caller::Main).is_none()
        );
    }

    #[test]
    fn what_a_size_loses_is_little_and_words_hold_what_is_left() {
        for size in [1, 8000, (1 << 14) - 1, 512_000, 3_145_728, MAX_SIZE_BYTES] {
            let key = AllocClass::of(size, Source::Malloc, Caller::Main).expect("small enough");
            assert!(
                key.size as usize <= size && size - key.size as usize <= size >> (SIZE_BITS - 1),
                "{key:?}"
            );
            assert!(size >= 1 << SIZE_BITS || key.size as usize == size, "{key:?}");
            assert_eq!(AllocClass::unpack(key.pack()), key);
        }
        let like = |size| AllocClass::of(size, Source::Malloc, Caller::Main).expect("small enough").place;
        assert_ne!(like(512_000), like(512_016), "kinds are told apart by all of their size");
    }
}
