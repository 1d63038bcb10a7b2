//! Which records say the same thing at different times, so that one of them may stand for a stretch.
//!
//! In: a record. Out: the series it belongs to and how it is thinned. What must not happen here: two things that share a series.

use std::hash::{DefaultHasher, Hash, Hasher as _};

use crate::encode::Encode as _;
use crate::observation::Observation;
use crate::reader::Stamped;
use crate::record::{Moment, Record};
use crate::sample::Sampling;

/// How a record is thinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// It stays.
    Stays,
    /// The last of each stretch stays.
    LastOf(Series),
    /// The same, of what says much at a time.
    LastLarge(Series),
    /// The same, and of the oldest the last one for ever.
    LastForEver(Series),
    /// The last one stays.
    LastOfAll(Series),
    /// The last of each stretch stays, and what the others counted is added to it.
    Summed(Series),
    /// A birth or a death.
    Sample,
    /// What only samples refer to: gone with the generation.
    OfSamples,
    /// An edge of a phase.
    Edge,
    /// What a look over the whole heap saw.
    Look,
}

/// Which series: the process, the kind of record, and what tells it from others of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Series(u32, u8, u64);

/// How this record is thinned.
pub(super) fn way(stamped: &Stamped) -> Way {
    let record = &stamped.record;
    let of = |what: u64| Series(stamped.pid, record.kind(), what);
    match record {
        Record::Fact { key, .. } => Way::LastForEver(of(hash(key))),
        Record::Cycle { unit, .. } => Way::LastOf(of(unit.number().into())),
        Record::Phase { .. } => Way::Edge,
        Record::Reading { moment, .. } => match moment {
            Moment::BeforeExit | Moment::AfterExitCollection => Way::Stays,
            _ => Way::LastOf(of(number(*moment))),
        },
        Record::Process(reading) => Way::LastOf(of(reading.pid.unwrap_or(0))),
        Record::Surroundings(_) => Way::LastOf(of(0)),
        Record::Child { role, .. } => Way::LastForEver(of(hash(role))),
        Record::Exit(_) => Way::Stays,
        Record::Loss { what, .. } => Way::LastForEver(of(hash(what))),
        Record::Sampling(said) => match said {
            Sampling::Birth(_) | Sampling::Death { .. } => Way::Sample,
            Sampling::Count(_) => Way::LastOf(of(0)),
            _ => Way::OfSamples,
        },
        Record::Observation(seen) => match seen {
            Observation::Probe { name, .. } | Observation::Objects { name, .. } => {
                Way::LastForEver(of(hash(name)))
            }
            Observation::Trace(trace) => Way::LastForEver(of(hash(&(&trace.function, trace.line)))),
            // Each scan ends with a record of its own, with which what it saw grow must agree.
            Observation::Census(counts) if counts.depth == Some(1) => Way::LastLarge(of(1)),
            // Of several with one time the last has the oldest mark.
            Observation::Census(counts) if counts.depth == Some(3) => Way::LastOf(of(3)),
            Observation::Census(_) | Observation::Held { .. } => Way::Look,
            Observation::Holder(holder) => Way::LastOfAll(of(holder.id)),
            Observation::Grown(grown) => Way::Summed(of(grown.holder)),
            // A name is said once. Totals are of all requests so far: a later record makes good what an earlier one said.
            Observation::Endpoint { .. } => Way::Stays,
            Observation::Ended { .. } => Way::LastOf(of(0)),
            Observation::Gpu(counts) => Way::LastOf(of(counts.index.unwrap_or(0))),
            Observation::Device { allocator, moment, counts } => {
                let device = counts.device.map_or(0, |device| device + 1);
                Way::LastOf(of(device << 16 | number(*moment) << 8 | *allocator as u64))
            }
        },
    }
}

fn number(moment: Moment) -> u64 {
    match moment {
        Moment::Cycle { unit, .. } => 16 + u64::from(unit.number()),
        Moment::Phase => 1,
        Moment::Tick => 2,
        Moment::BeforeExit => 3,
        Moment::AfterExitCollection => 4,
    }
}

fn hash(what: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}
