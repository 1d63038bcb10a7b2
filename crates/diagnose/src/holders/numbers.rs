//! How much of a growth are numbers in containers: what scans counted, times what a number takes.
//!
//! In: the rises of containers, with the types of their new elements. Out: bytes per cycle. What must not happen here: a container whose
//! elements are something else, or not known.

use super::HolderEvidence;
use super::scans::Pace;
use crate::cycles::Point;
use crate::numbers::NEARLY_ALL;
use crate::sample::Sample;

/// A float takes 24 bytes, an int 28 or 32.
pub(crate) const MAX_NUMBER_BYTES: u64 = 32;
/// Types of Python's and of `NumPy`'s that are one number.
const NUMBERS: [&str; 8] = ["float", "int", "bool", "float64", "float32", "int64", "int32", "bool_"];
/// The place in the container.
const PLACE_BYTES: u64 = 8;
/// A tuple without its places, and what the collector keeps in front of it.
const TUPLE_BYTES: u64 = 40;

impl HolderEvidence<'_> {
    /// Bytes of numbers that containers keep more of per cycle.
    pub(crate) fn numbers(&self, points: &[Point]) -> f64 {
        let of = |(id, rises): (&u64, &Vec<super::Rise>)| {
            let bytes = number_bytes(&self.holder(*id)?.elements)?;
            Some(Pace::of(rises, &self.scans, points)?.elements * (bytes + PLACE_BYTES) as f64)
        };
        self.rises.iter().filter_map(of).sum()
    }

    /// Whether nearly all of these samples lie in one container of numbers.
    pub(crate) fn are_in_numbers(&self, samples: &[Sample]) -> bool {
        let keeps = self.keeps(samples);
        keeps.first().is_some_and(|first| first.share >= NEARLY_ALL && are_numbers(&first.elements))
    }
}

/// `4,500 x float, 12 x tuple (int, float)`: whether each is a number, or a tuple of numbers: a step and its loss.
pub(crate) fn are_numbers(elements: &str) -> bool {
    number_bytes(elements).is_some()
}

/// Whether a type is one number.
pub(crate) fn is_number(name: &str) -> bool {
    NUMBERS.contains(&name)
}

/// Bytes of the biggest element at most, where all are numbers or tuples of them.
fn number_bytes(elements: &str) -> Option<u64> {
    elements.split(" x ").skip(1).map(kind_bytes).reduce(|a, b| Some(a?.max(b?))).flatten()
}

/// What stands behind ` x `: a type, perhaps with its parts, and the number of the next type.
fn kind_bytes(kind: &str) -> Option<u64> {
    if let Some((parts, _)) = kind.strip_prefix("tuple (").and_then(|rest| rest.split_once(')')) {
        let mut parts = parts.split(", ").peekable();
        parts.peek()?;
        let count = parts.try_fold(0, |count, part| is_number(part).then_some(count + 1))?;
        return Some(TUPLE_BYTES + count * (MAX_NUMBER_BYTES + PLACE_BYTES));
    }
    is_number(kind.split([',', ' ']).next()?).then_some(MAX_NUMBER_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_takes_as_much_as_a_tuple_and_two_numbers() {
        assert_eq!(number_bytes("300 x tuple (int, float)"), Some(120));
        assert_eq!(number_bytes("5 x float, 300 x tuple (int, float)"), Some(120));
        assert_eq!(number_bytes("5 x float"), Some(32));
        assert_eq!(number_bytes("5 x str"), None);
    }

    #[test]
    fn numbers_alone_are_numbers() {
        for (elements, are) in [
            ("4,500 x float", true),
            ("12 x int, 4 x float", true),
            ("300 x tuple (int, float)", true),
            ("300 x tuple (int, float), 4 x float", true),
            ("300 x tuple (int, str)", false),
            ("300 x tuple (int, tuple)", false),
            ("300 x tuple", false),
            ("300 x list (int, float)", false),
            ("9 x ndarray (2000, 500) float64", false),
            ("12 x float, 1 x ndarray (7,) float64", false),
            ("3 x Tensor () float32", false),
            ("ndarray (7000, 8) float64", false),
            ("", false),
        ] {
            assert_eq!(are_numbers(elements), are, "{elements}");
        }
    }
}
