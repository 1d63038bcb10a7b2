//! What the counters showed, in words.
//!
//! In: the counters' reason. Out: a sentence. What must not happen here: a case that the variant does not say.

use crate::counted::CountedReason;
use crate::sizes::{counted, duration, plural, size};

/// The sentence.
pub(super) fn words(reason: CountedReason, unit: &str) -> String {
    match reason {
        CountedReason::TooShort => "the run is too short to see growth".to_owned(),
        CountedReason::FewRead { read, cycles } => format!(
            "live memory was read at the end of {read} of {}: too few, as the first ones also start things up",
            counted(cycles, unit)
        ),
        CountedReason::FewEnded { cycles: 0 } => format!("no {unit} has ended yet"),
        CountedReason::FewEnded { cycles: 1 } => {
            format!("one {unit} says nothing about growth: the first ones also start things up")
        }
        CountedReason::FewEnded { cycles } => {
            format!("{} are too few: the first ones also start things up", counted(cycles as u64, unit))
        }
        CountedReason::ReadUntil { cycle, cycles, rise: Some(rise) } => format!(
            "live memory was read until {unit} {cycle} of {cycles}, and rose by {} until the last one",
            size(rise)
        ),
        CountedReason::ReadUntil { cycle, cycles, rise: None } => {
            format!("live memory was read until {unit} {cycle} of {cycles} only")
        }
        CountedReason::Grows => {
            format!("live memory grows with every {unit} and shows no sign of levelling")
        }
        CountedReason::GrowsWithTime => {
            "live memory grows all the time, and no cycle was seen. Only you know whether it should grow, as it does while data is loaded"
                .to_owned()
        }
        CountedReason::ResidentGrows => {
            "resident memory grows, but this allocator does not say how much of it is in use: run with the C library's allocator"
                .to_owned()
        }
        CountedReason::GrowsByMix => format!(
            "live memory grows with every {unit} of some endpoints; it slows because fewer of them come"
        ),
        CountedReason::FewSteps => {
            format!("one or two {} brought nearly all of the rise: it may be over", plural(unit))
        }
        CountedReason::Noisy { at_most } => {
            format!(
                "the {} differ too much to tell a growth of up to {} per {unit} from none",
                plural(unit),
                size(at_most)
            )
        }
        CountedReason::FlatSince { cycle, rise, at_most } => format!(
            "live memory rose by {} until {unit} {cycle} and is flat since (at most {} per {unit})",
            size(rise),
            size(at_most)
        ),
        CountedReason::Ended { cycles, rise, seconds, is_flat: true } => format!(
            "live memory rose by {} in {}, and no more in the {} after the last one",
            size(rise),
            counted(cycles, unit),
            duration(seconds)
        ),
        CountedReason::Ended { cycles, rise, seconds, is_flat: false } => format!(
            "live memory rose by {} in {}, the last of which came {} before the end: the rise may be over",
            size(rise),
            counted(cycles, unit),
            duration(seconds)
        ),
        CountedReason::LevelledOff { rise } => format!("live memory rose by {} and has levelled off", size(rise)),
        CountedReason::Levelling { to_come, cycles } => format!(
            "live memory grows, but ever more slowly: at this bend it ends about {} higher, in {cycles} more {}",
            size(to_come),
            plural(unit)
        ),
        CountedReason::TooLittle { at_most } => {
            format!("live memory grows by at most {} per {unit}: too little to matter", size(at_most))
        }
        CountedReason::Flat { at_most } if at_most > 0.0 => {
            format!("live memory does not grow (at most {} per {unit})", size(at_most))
        }
        CountedReason::Flat { .. } => "live memory does not grow".to_owned(),
        CountedReason::Garbage { grows, at_most } => format!(
            "live memory grows by {} per {unit}, but this is garbage that waits for Python's collector: at most {} per {unit} stay",
            size(grows),
            size(at_most)
        ),
        CountedReason::LikelyGarbage { at_most, otherwise } => format!(
            "the growth is garbage that Python's collector takes back. Without it live memory grows by at most {} per {unit}, or by {} if nothing of it is garbage",
            size(at_most),
            size(otherwise)
        ),
        CountedReason::Uncollected { grows } => format!(
            "live memory grows by {} per {unit}, but Python's collector has not looked at it yet. The next full collection may free \
             it as garbage",
            size(grows)
        ),
    }
}
