//! How much of a growth are numbers in containers: what scans counted, times what a number takes.
//!
//! In: the rises of containers, with the types of their new elements. Out: bytes per cycle. What must not happen here: a container whose
//! elements are something else, or not known.

use super::HolderEvidence;
use super::scans::Pace;
use crate::cycles::Point;

/// A float takes 24 bytes, an int 28 or 32.
pub(crate) const MAX_NUMBER_BYTES: u64 = 32;
/// Types of Python's and of `NumPy`'s that are one number.
const NUMBERS: [&str; 8] = ["float", "int", "bool", "float64", "float32", "int64", "int32", "bool_"];
/// The place in the container.
const PLACE_BYTES: u64 = 8;

impl HolderEvidence<'_> {
    /// Bytes of numbers that containers keep more of per cycle.
    pub(crate) fn numbers(&self, points: &[Point]) -> f64 {
        let of = |(id, rises): (&u64, &Vec<super::Rise>)| {
            let holder = self.holder(*id)?;
            let pace = Pace::of(rises, &self.scans, points)?;
            (are_numbers(&holder.elements)).then_some(pace.elements * (MAX_NUMBER_BYTES + PLACE_BYTES) as f64)
        };
        self.rises.iter().filter_map(of).sum()
    }
}

/// `4,500 x float, 12 x int`: whether each type is a number.
pub(crate) fn are_numbers(elements: &str) -> bool {
    let mut types = elements.split(" x ").skip(1).peekable();
    types.peek().is_some()
        && types.all(|kind| NUMBERS.contains(&kind.split([',', ' ']).next().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_alone_are_numbers() {
        for (elements, are) in [
            ("4,500 x float", true),
            ("12 x int, 4 x float", true),
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
