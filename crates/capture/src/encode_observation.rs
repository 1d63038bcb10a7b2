//! Observations as payload bytes.
//!
//! In: an [`Observation`]. Out: bytes into a sink. What must not happen here: allocation, as `encode` says.

use crate::encode::{Sink, moment, number, numbers, string};
use crate::observation::{GROWN_NATIVE, GROWN_PARTIAL, GROWN_SHARED, Grown, Holder, Observation, Trace};
use crate::record::kind;

pub(crate) fn kind_of_observation(seen: &Observation) -> u8 {
    match seen {
        Observation::Probe { .. } => kind::PROBE,
        Observation::Trace(_) => kind::TRACE,
        Observation::Census(_) => kind::CENSUS,
        Observation::Holder(_) => kind::HOLDER,
        Observation::Held { .. } => kind::HELD,
        Observation::Grown(_) => kind::GROWN,
        Observation::Objects { .. } => kind::OBJECTS,
        Observation::Device { .. } => kind::DEVICE,
        Observation::Gpu(_) => kind::GPU,
        Observation::Endpoint { .. } => kind::ENDPOINT,
        Observation::Ended { .. } => kind::ENDED,
    }
}

/// The fields behind the time.
pub(crate) fn observation(seen: &Observation, sink: &mut impl Sink) {
    match seen {
        Observation::Probe { name, value } | Observation::Objects { name, count: value } => {
            string(name, sink);
            number(*value, sink);
        }
        Observation::Trace(traced) => trace(traced, sink),
        Observation::Device { allocator, moment: when, counts } => {
            number(*allocator as u64, sink);
            moment(*when, sink);
            numbers(&counts.to_array(), sink);
        }
        Observation::Gpu(counts) => numbers(&counts.to_array(), sink),
        Observation::Endpoint { id, unit, name } => {
            number(*id, sink);
            number(u64::from(unit.number()), sink);
            string(name, sink);
        }
        Observation::Ended { totals } => {
            number(totals.len() as u64, sink);
            for (endpoint, total) in totals {
                number(*endpoint, sink);
                number(*total, sink);
            }
        }
        Observation::Census(counts) => numbers(&counts.to_array(), sink),
        Observation::Holder(who) => holder(who, sink),
        Observation::Held { holder, samples } => {
            number(*holder, sink);
            number(samples.len() as u64, sink);
            let mut before = 0_u64;
            for id in samples {
                // In order they are mostly near each other; out of order they wrap around and are right all the same.
                number(id.wrapping_sub(before), sink);
                before = *id;
            }
        }
        Observation::Grown(Grown { holder, cycle, length, bytes, new, native, shared, partial }) => {
            let about = (u64::from(*native) * GROWN_NATIVE)
                | (u64::from(*shared) * GROWN_SHARED)
                | (u64::from(*partial) * GROWN_PARTIAL);
            for value in [*holder, *cycle, *length, *bytes, *new, about] {
                number(value, sink);
            }
        }
    }
}

fn trace(traced: &Trace, sink: &mut impl Sink) {
    let Trace { function, file, line, nth, why, caller_file, caller_line } = traced;
    string(function, sink);
    string(file, sink);
    number(*line, sink);
    number(*nth, sink);
    string(why, sink);
    string(caller_file, sink);
    number(*caller_line, sink);
}

fn holder(who: &Holder, sink: &mut impl Sink) {
    let Holder { id, path, owner, role, kind, file, bound, elements, retained, alone, numbers: named } = who;
    number(*id, sink);
    for text in [path, owner, kind, file] {
        string(text, sink);
    }
    numbers(&[*bound, *retained, *alone], sink);
    string(elements, sink);
    string(role, sink);
    number(named.len() as u64, sink);
    for (name, value) in named {
        string(name, sink);
        numbers(&[*value], sink);
    }
}
