//! What an instrument claims, in words.
//!
//! In: the reason of a claim or of a limit. Out: a sentence. What must not happen here: a case that the variant does not say.

use super::counted;
use crate::claims::ClaimReason;
use crate::sizes::{plural, size};

/// The sentence.
pub(super) fn words(reason: ClaimReason, unit: &str) -> String {
    match reason {
        ClaimReason::Counted(reason) => counted::words(reason, unit),
        ClaimReason::ContainersKeepAll { grows } => format!(
            "live memory grows by {} per {unit}, and the program's own containers keep as much: it is no garbage",
            size(grows)
        ),
        ClaimReason::ContainersKeepPart { grows, kept } => format!(
            "live memory grows by {} per {unit}. Some of it may be garbage, but the program's own containers keep {} of it",
            size(grows),
            size(kept)
        ),
        ClaimReason::ContainersAlone { kept } => format!(
            "the program's own containers keep {} more per {unit}, though live memory as a whole moves too much to show it",
            size(kept)
        ),
        ClaimReason::NativeElements { elements, may_be_garbage } => {
            let moves = if may_be_garbage {
                "some of the growth may be garbage"
            } else {
                "live memory as a whole moves too much to show a growth"
            };
            format!(
                "{moves}. But a container that the program holds gets {} more per {unit}, and native code keeps memory for each",
                elements.round()
            )
        }
        ClaimReason::Survivors { kept, may_be_more } => {
            let beside = if may_be_more {
                "; the growth of live memory beyond it may be garbage"
            } else {
                ", though live memory as a whole moves too much to show it"
            };
            format!("{} per {unit} stays alive for good{beside}", size(kept))
        }
        ClaimReason::MayBeOver { at_most } => format!(
            "live memory rose, but the last {} keep at most {} each: the rise may be over",
            plural(unit),
            size(at_most)
        ),
        ClaimReason::FirstCycles { grows } => format!(
            "live memory grows by {} with each {unit} after the first, and the program itself holds as much more",
            size(grows)
        ),
        ClaimReason::Numbers { grows } => format!(
            "live memory grows by {} per {unit}, most of it numbers that the program notes: too little to matter",
            size(grows)
        ),
        ClaimReason::InFlight { at_most } => format!(
            "live memory does not grow, once memory in flight at the end of each {unit} is excluded (at most {} per {unit})",
            size(at_most)
        ),
    }
}
