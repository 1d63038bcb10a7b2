//! A record as payload bytes, in two passes: count them, then write them straight into the shared mapping.
//!
//! In: a record and its time. Out: bytes into a [`Sink`]. What must not happen here: allocation, and a second pass that
//! writes more than the first one counted.

use crate::counters::Counters;
use crate::encode_observation::{kind_of_observation, observation};
use crate::encode_sampling::{kind_of_sampling, sampling};
use crate::layout::STRING_MAX;
use crate::record::{Exit, Moment, Record, kind};
use crate::sample::{Sampling, SamplingCount};

/// Where encoded bytes go.
pub(crate) trait Sink {
    fn put(&mut self, bytes: &[u8]);
}

/// Counts only.
#[derive(Default)]
pub(crate) struct Length(pub(crate) usize);

impl Sink for Length {
    fn put(&mut self, bytes: &[u8]) {
        self.0 += bytes.len();
    }
}

#[cfg(test)]
impl Sink for Vec<u8> {
    fn put(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// What can be written as a record.
pub(crate) trait Encode {
    /// The kind that stands in the record's word.
    fn kind(&self) -> u8;
    /// The payload, time first.
    fn encode(&self, at_ns: u64, sink: &mut impl Sink);
}

impl Encode for Record {
    fn kind(&self) -> u8 {
        kind_of(self)
    }

    fn encode(&self, at_ns: u64, sink: &mut impl Sink) {
        encode(at_ns, self, sink);
    }
}

/// A reading that is not owned by its record.
pub(crate) struct Reading<'a> {
    pub(crate) moment: Moment,
    pub(crate) counters: &'a Counters,
}

impl Encode for Reading<'_> {
    fn kind(&self) -> u8 {
        kind::READING
    }

    fn encode(&self, at_ns: u64, sink: &mut impl Sink) {
        number(at_ns, sink);
        reading(self.moment, self.counters, sink);
    }
}

impl Encode for SamplingCount {
    fn kind(&self) -> u8 {
        kind::SAMPLING_COUNT
    }

    fn encode(&self, at_ns: u64, sink: &mut impl Sink) {
        number(at_ns, sink);
        numbers(&self.to_array(), sink);
    }
}

impl Encode for Sampling<'_> {
    fn kind(&self) -> u8 {
        kind_of_sampling(self)
    }

    fn encode(&self, at_ns: u64, sink: &mut impl Sink) {
        number(at_ns, sink);
        sampling(self, sink);
    }
}

fn kind_of(record: &Record) -> u8 {
    match record {
        Record::Fact { .. } => kind::FACT,
        Record::Cycle { .. } => kind::CYCLE,
        Record::Phase { .. } => kind::PHASE,
        Record::Reading { .. } => kind::READING,
        Record::Process(_) => kind::PROCESS,
        Record::Surroundings(_) => kind::SURROUNDINGS,
        Record::Child { .. } => kind::CHILD,
        Record::Exit(_) => kind::EXIT,
        Record::Loss { .. } => kind::LOSS,
        Record::Sampling(said) => kind_of_sampling(said),
        Record::Observation(seen) => kind_of_observation(seen),
    }
}

fn encode(at_ns: u64, record: &Record, sink: &mut impl Sink) {
    number(at_ns, sink);
    match record {
        Record::Fact { key, value } => {
            string(key, sink);
            string(value, sink);
        }
        Record::Cycle { unit, ordinal } => {
            number(u64::from(unit.number()), sink);
            number(*ordinal, sink);
        }
        Record::Phase { name, edge, thread } => {
            string(name, sink);
            number(*edge as u64, sink);
            number(*thread, sink);
        }
        Record::Reading { moment, counters } => reading(*moment, counters, sink),
        Record::Process(reading) => numbers(&reading.to_array(), sink),
        Record::Surroundings(around) => numbers(&around.to_array(), sink),
        Record::Child { pid, parent, role } => {
            number(*pid, sink);
            number(*parent, sink);
            string(role, sink);
        }
        Record::Exit(how) => exit(how, sink),
        Record::Loss { what, count } => {
            string(what, sink);
            number(*count, sink);
        }
        Record::Sampling(said) => sampling(said, sink),
        Record::Observation(seen) => observation(seen, sink),
    }
}

fn reading(when: Moment, counters: &Counters, sink: &mut impl Sink) {
    moment(when, sink);
    numbers(&counters.to_array(), sink);
}

pub(crate) fn moment(when: Moment, sink: &mut impl Sink) {
    match when {
        Moment::Cycle { unit, ordinal } => {
            number(0, sink);
            number(u64::from(unit.number()), sink);
            number(ordinal, sink);
        }
        Moment::Phase => number(1, sink),
        Moment::Tick => number(2, sink),
        Moment::BeforeExit => number(3, sink),
        Moment::AfterExitCollection => number(4, sink),
    }
}

fn exit(how: &Exit, sink: &mut impl Sink) {
    number(u64::from(how.code.is_some()) | u64::from(how.signal.is_some()) << 1, sink);
    for value in [how.code, how.signal].into_iter().flatten() {
        number(zigzag(value), sink);
    }
    number(how.memory_kill as u64, sink);
}

fn zigzag(value: i32) -> u64 {
    u64::from((value.cast_unsigned() << 1) ^ (value >> 31).cast_unsigned())
}

/// LEB128: seven bits a byte, low ones first, the high bit says that more follow.
pub(crate) fn number(mut value: u64, sink: &mut impl Sink) {
    let mut bytes = [0; 10];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = value as u8 & 0x7f;
        value >>= 7;
        if value == 0 {
            sink.put(bytes.get(..=index).unwrap_or_default());
            return;
        }
        *byte |= 0x80;
    }
}

/// How many, a bit for each that is there, then those that are there.
pub(crate) fn numbers(values: &[Option<u64>], sink: &mut impl Sink) {
    number(values.len() as u64, sink);
    for eight in values.chunks(8) {
        let mut bits = 0;
        for (index, value) in eight.iter().enumerate() {
            bits |= u8::from(value.is_some()) << index;
        }
        sink.put(&[bits]);
    }
    for value in values.iter().flatten() {
        number(*value, sink);
    }
}

/// Bytes, then the text; a text that is too long ends in an ellipsis, so that the cut shows.
pub(crate) fn string(text: &str, sink: &mut impl Sink) {
    const ELLIPSIS: &str = "…";
    if text.len() <= STRING_MAX {
        number(text.len() as u64, sink);
        sink.put(text.as_bytes());
        return;
    }
    let kept = text.get(..text.floor_char_boundary(STRING_MAX - ELLIPSIS.len())).unwrap_or_default();
    number((kept.len() + ELLIPSIS.len()) as u64, sink);
    sink.put(kept.as_bytes());
    sink.put(ELLIPSIS.as_bytes());
}
