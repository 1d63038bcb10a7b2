//! A container that fills and ends, as a part of the curve and in words.
//!
//! In: a container with its bound. Out: a component; a sentence without its full stop. What must not happen here: a decision whether the
//! bound is near.

use crate::claims::bounds::{Filling, Until};
use crate::cycles::Cycles;
use crate::report::{Component, Kind};
use crate::sizes::{plural, size};

/// The part of the curve.
pub(super) fn component(filling: &Filling, cycles: &Cycles) -> Component {
    let per_cycle = filling.bytes_per_cycle;
    Component {
        kind: Kind::Filling,
        phase: None,
        bytes: per_cycle.saturating_mul(i64::try_from(cycles.count).unwrap_or(i64::MAX)),
        bytes_per_cycle: Some(per_cycle),
        sentence: sentence(filling, cycles.unit.word()),
        made_at: None,
        change: None,
        prove: None,
    }
}

/// When it is full, or who ends it.
pub(super) fn sentence(filling: &Filling, unit: &str) -> String {
    let name = &filling.name;
    match &filling.until {
        Until::Full { elements, cycles, more, by } => {
            let by = by.as_ref().map_or(String::new(), |own| format!(" by `{}` ({})", own.text, own.place));
            if *cycles <= 0.0 {
                return format!("{name} is full with {elements} elements{by}");
            }
            format!(
                "{name} is full with {elements} elements{by}, in {:.0} more {} and with {} more",
                cycles.ceil(),
                plural(unit),
                size(*more)
            )
        }
        Until::Bounded { by, length } => {
            let has = length.map_or(String::new(), |length| format!(", with {length} elements"));
            let at = match (by.elements, by.bytes) {
                (Some(bound), _) => format!(" at {bound} elements"),
                (None, Some(bytes)) => format!(" at {}", size(bytes as f64)),
                (None, None) => String::new(),
            };
            format!("{name} fills{has}, until `{}` ends that{at} ({})", by.text, by.place)
        }
    }
}
