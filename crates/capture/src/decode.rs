//! Payload bytes to a record.
//!
//! In: one payload and its kind. Out: the record and its time, or why not. What must not happen here: a panic, whatever
//! the bytes are, or an allocation that a length asks for and the payload does not hold.

use crate::counters::{Counters, ProcessReading, Surroundings};
use crate::cycle_unit::CycleUnit;
use crate::decode_observation::decode_observation;
use crate::decode_sampling::decode_sampling;
use crate::record::{Edge, Exit, MemoryKill, Moment, Record, kind};

/// Why a committed record cannot be understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// A kind, unit or moment that only a newer version knows.
    Unknown,
    /// Bytes that no version writes.
    Garbage,
}

pub(crate) fn decode(record_kind: u8, payload: &[u8]) -> Result<(u64, Record), Unreadable> {
    let mut rest = Rest(payload);
    let at_ns = rest.number()?;
    let record = match record_kind {
        kind::FACT => Record::Fact { key: rest.string()?, value: rest.string()? },
        kind::CYCLE => Record::Cycle { unit: rest.unit()?, ordinal: rest.number()? },
        kind::PHASE => Record::Phase { name: rest.string()?, edge: rest.edge()?, thread: rest.number()? },
        kind::READING => {
            let moment = rest.moment()?;
            let numbers = rest.numbers::<{ Counters::NAMES.len() }>()?;
            Record::Reading { moment, counters: Box::new(Counters::from_numbers(&numbers)) }
        }
        kind::PROCESS => {
            let numbers = rest.numbers::<{ ProcessReading::NAMES.len() }>()?;
            Record::Process(Box::new(ProcessReading::from_numbers(&numbers)))
        }
        kind::SURROUNDINGS => {
            let numbers = rest.numbers::<{ Surroundings::NAMES.len() }>()?;
            Record::Surroundings(Surroundings::from_numbers(&numbers))
        }
        kind::CHILD => Record::Child { pid: rest.number()?, parent: rest.number()?, role: rest.string()? },
        kind::EXIT => Record::Exit(rest.exit()?),
        kind::LOSS => Record::Loss { what: rest.string()?, count: rest.number()? },
        kind::PROBE..=kind::GPU => Record::Observation(decode_observation(record_kind, &mut rest)?),
        other => Record::Sampling(decode_sampling(other, &mut rest)?),
    };
    Ok((at_ns, record)) // what is left are fields of a newer version
}

/// What is left of a payload.
pub(crate) struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    /// All of a payload.
    pub(crate) fn new(payload: &'a [u8]) -> Self {
        Self(payload)
    }

    /// Bytes that are left.
    pub(crate) fn left(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Unreadable> {
        let (taken, left) = self.0.split_at_checked(count).ok_or(Unreadable::Garbage)?;
        self.0 = left;
        Ok(taken)
    }

    /// A number. Most are short, and stand before others: eight bytes are looked at together, since a long run has a
    /// hundred million of them.
    pub(crate) fn number(&mut self) -> Result<u64, Unreadable> {
        const LAST: u64 = 0x8080_8080_8080_8080;
        let Some(eight) = self.0.first_chunk() else { return self.number_at_the_end() };
        let word = u64::from_le_bytes(*eight);
        let ends = !word & LAST;
        if ends == 0 {
            return self.number_at_the_end();
        }
        // Bits behind the first byte that has none behind it belong to others.
        let word = word & (ends ^ (ends - 1)) & !LAST;
        let pairs = word & 0x007f_007f_007f_007f | (word & 0x7f00_7f00_7f00_7f00) >> 1;
        let fours = pairs & 0x0000_3fff_0000_3fff | (pairs & 0x3fff_0000_3fff_0000) >> 2;
        let value = fours & 0x0fff_ffff | (fours & 0x0fff_ffff_0000_0000) >> 4;
        self.0 = self.0.get(ends.trailing_zeros() as usize / 8 + 1..).unwrap_or_default();
        Ok(value)
    }

    fn number_at_the_end(&mut self) -> Result<u64, Unreadable> {
        let mut value = 0;
        for (index, byte) in self.0.iter().take(10).enumerate() {
            let low = u64::from(byte & 0x7f);
            if index == 9 && low > 1 {
                break;
            }
            value |= low << (7 * index);
            if byte & 0x80 == 0 {
                self.0 = self.0.get(index + 1..).unwrap_or_default();
                return Ok(value);
            }
        }
        Err(Unreadable::Garbage)
    }

    pub(crate) fn string(&mut self) -> Result<String, Unreadable> {
        let length = usize::try_from(self.number()?).map_err(|_too_long| Unreadable::Garbage)?;
        Ok(String::from_utf8_lossy(self.bytes(length)?).into_owned())
    }

    /// The first `N` numbers of a list; what the file has beyond them is read over.
    pub(crate) fn numbers<const N: usize>(&mut self) -> Result<[Option<u64>; N], Unreadable> {
        let count = usize::try_from(self.number()?).map_err(|_too_many| Unreadable::Garbage)?;
        let present = self.bytes(count.div_ceil(8))?;
        let mut values = [None; N];
        for index in 0..count {
            if present.get(index / 8).is_some_and(|bits| bits >> (index % 8) & 1 == 1) {
                let value = self.number()?;
                if let Some(place) = values.get_mut(index) {
                    *place = Some(value);
                }
            }
        }
        Ok(values)
    }

    pub(crate) fn unit(&mut self) -> Result<CycleUnit, Unreadable> {
        let number = u8::try_from(self.number()?).map_err(|_not_ours| Unreadable::Unknown)?;
        CycleUnit::from_number(number).ok_or(Unreadable::Unknown)
    }

    fn edge(&mut self) -> Result<Edge, Unreadable> {
        match self.number()? {
            0 => Ok(Edge::Begin),
            1 => Ok(Edge::End),
            _ => Err(Unreadable::Unknown),
        }
    }

    pub(crate) fn moment(&mut self) -> Result<Moment, Unreadable> {
        match self.number()? {
            0 => Ok(Moment::Cycle { unit: self.unit()?, ordinal: self.number()? }),
            1 => Ok(Moment::Phase),
            2 => Ok(Moment::Tick),
            3 => Ok(Moment::BeforeExit),
            4 => Ok(Moment::AfterExitCollection),
            _ => Err(Unreadable::Unknown),
        }
    }

    fn exit(&mut self) -> Result<Exit, Unreadable> {
        let present = self.number()?;
        let code = if present & 1 == 1 { Some(self.signed()?) } else { None };
        let signal = if present & 2 == 2 { Some(self.signed()?) } else { None };
        // How the program ended is worth more than a reason that only a newer version knows.
        let memory_kill = match self.number()? {
            1 => MemoryKill::Cgroup,
            2 => MemoryKill::System,
            3 => MemoryKill::Rlimit,
            _ => MemoryKill::None,
        };
        Ok(Exit { code, signal, memory_kill })
    }

    fn signed(&mut self) -> Result<i32, Unreadable> {
        let bits = u32::try_from(self.number()?).map_err(|_too_wide| Unreadable::Garbage)?;
        Ok((bits >> 1).cast_signed() ^ -(bits & 1).cast_signed())
    }
}
