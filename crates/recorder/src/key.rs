//! What is told apart where memory stays: exact sizes, who was asked for them, and whether by the main thread.
//!
//! In: an allocation. Out: a number for all that are like it. What a program keeps of every cycle has the same size each time, and what
//! a framework's threads make and drop all the while is seldom like it. Two kinds may get the same number: then they are
//! suspected together. Pure.

use nilometer_capture::Source;

/// Larger ones are sampled often enough as they are.
pub(crate) const LARGEST: usize = (1 << 18) - 1;
/// How many numbers there are.
pub(crate) const KEYS: usize = 1 << KEY_BITS;
const KEY_BITS: u32 = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// Its number, below [`KEYS`].
    pub(crate) place: u16,
    /// At most [`LARGEST`].
    pub(crate) size: u32,
}

impl Key {
    /// `None` for what is never looked at: what is large, mappings, and memory of devices.
    pub(crate) fn of(size: usize, source: Source, on_main_thread: bool) -> Option<Self> {
        let asked = match source {
            Source::Malloc => 0,
            Source::Python => 1,
            Source::Pool => 2,
            _ => return None,
        };
        if size > LARGEST {
            return None;
        }
        let kind = (size as u64) << 3 | asked << 1 | u64::from(on_main_thread);
        let place = kind.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - KEY_BITS);
        Some(Self { place: place as u16, size: size as u32 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_a_training_are_told_apart() {
        let kinds =
            (1..300_usize).map(|n| (n * 16, Source::Malloc)).chain((1..32).map(|n| (n * 16, Source::Python)));
        let places: std::collections::HashSet<_> = kinds
            .flat_map(|(size, source)| [Key::of(size, source, true), Key::of(size, source, false)])
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
        assert!(Key::of(LARGEST + 1, Source::Malloc, true).is_none());
        assert!(
            Key::of(4096, Source::Mapping, true).is_none() && Key::of(4096, Source::Device, true).is_none()
        );
        assert_eq!(Key::of(LARGEST, Source::Pool, false).map(|key| key.size as usize), Some(LARGEST));
    }
}
