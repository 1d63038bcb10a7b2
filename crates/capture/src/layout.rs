//! Where everything stands in the file: the constants both sides share, and the header page as plain values.
//!
//! In: the first bytes of a file. Out: a checked [`Header`]. What must not happen here: I/O.

use crate::CycleUnit;

#[cfg(target_endian = "big")]
compile_error!("captures are little-endian and are written through atomics in place");

/// Files of another major version cannot be read.
pub const FORMAT_MAJOR: u16 = 1;
/// Files of another minor version can be read; kinds and fields that are not known are skipped.
pub const FORMAT_MINOR: u16 = 1;

/// The first byte is not ASCII and the line ends are of both sorts, so that a copy in text mode shows.
pub(crate) const MAGIC: [u8; 8] = *b"\x89NILO\r\n\x1a";
pub(crate) const HEADER_LEN: usize = 4096;
pub(crate) const UNIT: usize = 64 * 1024;

/// Offsets in the header page.
pub(crate) mod at {
    pub(crate) const MAJOR: usize = 8;
    pub(crate) const MINOR: usize = 10;
    pub(crate) const HEADER_LEN: usize = 12;
    pub(crate) const UNIT: usize = 16;
    pub(crate) const START_UNIX_NS: usize = 24;
    pub(crate) const START_MONO_NS: usize = 32;
    pub(crate) const UNITS: usize = 40;
    pub(crate) const LOST: usize = 48;
    pub(crate) const STEPS: usize = 56;
    pub(crate) const CYCLES: usize = 64;
    pub(crate) const REFUSAL: usize = 320;
    pub(crate) const CENSUSES: usize = 328;
    pub(crate) const MAX_PAUSE_OFFSET: usize = 336;
    pub(crate) const OVERHEAD: usize = 344;
    pub(crate) const IMPORTS: usize = 352;
    pub(crate) const HEARTBEATS_OFFSET: usize = 360;
    pub(crate) const FOUND: usize = 368;
    pub(crate) const GENERATION: usize = 752;
    pub(crate) const FREED: usize = 760;
    pub(crate) const LIMIT: usize = 768;
    /// A bit for each unit, up to the end of the page.
    pub(crate) const FREE: usize = 1024;

    /// The count of this unit: found units stand apart from those that hooks know.
    pub(crate) fn cycles(unit: crate::CycleUnit) -> usize {
        match unit.number().checked_sub(crate::cycle_unit::FIRST_FOUND) {
            Some(place) => FOUND + 8 * usize::from(place),
            None => CYCLES + 8 * unit.index(),
        }
    }
}

/// The segment header: its magic is what makes a unit a segment.
pub(crate) const SEGMENT_MAGIC: u64 = u64::from_le_bytes(*b"\x93segment");
pub(crate) const SEGMENT_HEADER: usize = 32;
/// A segment of what compaction left: another magic, so that a reader who does not know generations takes none of it.
pub(crate) const COMPACT_MAGIC: u64 = u64::from_le_bytes(*b"\x93compact");
/// A unit that anyone may take.
pub(crate) const FREE_MAGIC: u64 = u64::from_le_bytes(*b"\x93freedun");
/// In the upper half: somebody has taken a free unit and writes its header; his process id is in the lower half.
pub(crate) const TAKEN: u64 = 0x7a6b_e493 << 32;
/// Units that the page has bits for.
pub(crate) const MAX_FREE_UNITS: usize = (HEADER_LEN - at::FREE) * 8;
/// A unit count above this is garbage, not a segment.
pub(crate) const SEGMENT_MAX_UNITS: u32 = 64;
/// Offsets in a segment's header.
pub(crate) mod seg {
    pub(crate) const UNITS: usize = 8;
    pub(crate) const PID: usize = 12;
    pub(crate) const SEQUENCE: usize = 16;
    pub(crate) const USED: usize = 20;
    /// The generation from which on it is not read any more; 0 as long as it is.
    pub(crate) const DIED: usize = 24;
    /// By a writer: [`WRITTEN`], then [`CLOSED`]. By compaction: [`CLOSED`] and the generation from which on it is read.
    pub(crate) const BORN: usize = 28;
    pub(crate) const WRITTEN: u32 = 0;
    /// Its writer has let go of it: nobody adds to it any more.
    pub(crate) const CLOSED: u32 = 1;
}

/// A record's word: committed (bit 31), kind (bits 24 to 30), bytes of payload (bits 0 to 23).
pub(crate) const COMMITTED: u32 = 1 << 31;
pub(crate) const WORD: usize = 4;
/// Longest string in a record, in bytes.
pub(crate) const STRING_MAX: usize = 4096;

/// The word of a record that is being written.
pub(crate) fn word(kind: u8, payload: u32) -> u32 {
    u32::from(kind & 0x7f) << 24 | (payload & 0x00ff_ffff)
}

pub(crate) fn word_kind(word: u32) -> u8 {
    (word >> 24) as u8 & 0x7f
}

pub(crate) fn word_payload(word: u32) -> usize {
    (word & 0x00ff_ffff) as usize
}

/// How far the next record's word is.
pub(crate) fn stride(payload: usize) -> usize {
    (WORD + payload).next_multiple_of(8)
}

/// Why a writer could not get more room; the last such reason stands in the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Refusal {
    /// The disk or the quota is full.
    NoSpace = 1,
    /// The file was deleted, moved or replaced while the program ran.
    Gone = 2,
    /// The file size limit of the process (`ulimit -f`) is reached.
    FileSizeLimit = 3,
    /// Memory for the mapping was refused (`ulimit -v`).
    NoMemory = 4,
    /// No file descriptor was free.
    NoDescriptor = 5,
    /// The header page was overwritten by something else.
    Damaged = 6,
    /// Another thread was waiting for the disk for too long, or another error.
    Other = 7,
    /// The capture is as large as it may be, and was not compacted in time.
    Full = 8,
}

impl Refusal {
    /// The reason with this number.
    pub fn from_number(number: u32) -> Option<Self> {
        [
            Self::NoSpace,
            Self::Gone,
            Self::FileSizeLimit,
            Self::NoMemory,
            Self::NoDescriptor,
            Self::Damaged,
            Self::Other,
            Self::Full,
        ]
        .into_iter()
        .find(|reason| *reason as u32 == number)
    }
}

/// The header page, without the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Major version; always [`FORMAT_MAJOR`] in a capture that was read.
    pub major: u16,
    /// Minor version of the writer.
    pub minor: u16,
    /// Start of the capture, in nanoseconds since 1970 (wall clock).
    pub start_unix_ns: u64,
    /// Start of the capture on `CLOCK_MONOTONIC`, in nanoseconds; all records count from here.
    pub start_mono_ns: u64,
    /// Units of 64 KiB that writers took.
    pub units: u64,
    /// Records that could not be written.
    pub lost: u64,
    /// The last reason for that.
    pub refusal: Option<Refusal>,
    /// How often it was compacted.
    pub compactions: u64,
    /// Bytes of the header page.
    pub(crate) page: usize,
    pub(crate) unit: usize,
}

/// The board: how often each cycle ended and how many steps there were, exact also where records are thinned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardCounts {
    counts: [u64; CycleUnit::COUNT],
    /// Steps (batches).
    pub steps: u64,
}

impl Default for BoardCounts {
    fn default() -> Self {
        Self { counts: [0; CycleUnit::COUNT], steps: 0 }
    }
}

impl BoardCounts {
    /// So many steps, and of each unit so many cycles.
    pub fn of(steps: u64, cycles: impl Fn(CycleUnit) -> u64) -> Self {
        let mut board = Self { steps, ..Self::default() };
        for unit in CycleUnit::all() {
            if let Some(count) = board.counts.get_mut(unit.index()) {
                *count = cycles(unit);
            }
        }
        board
    }

    /// Cycles of this unit that ended.
    pub fn cycles(&self, unit: CycleUnit) -> u64 {
        self.counts.get(unit.index()).copied().unwrap_or(0)
    }

    /// All numbers, steps first.
    pub(crate) fn to_numbers(&self) -> impl Iterator<Item = u64> {
        [self.steps, self.counts.len() as u64].into_iter().chain(self.counts)
    }

    /// From such numbers, taken one by one; `None` where they end too soon.
    pub(crate) fn from_numbers(mut next: impl FnMut() -> Option<u64>) -> Option<Self> {
        let mut board = Self { steps: next()?, ..Self::default() };
        for place in 0..next()? {
            let count = next()?;
            if let Some(known) = usize::try_from(place).ok().and_then(|place| board.counts.get_mut(place)) {
                *known = count;
            }
        }
        Some(board)
    }
}

/// Why the first bytes are not a header that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderProblem {
    Empty,
    NotACapture,
    Truncated { bytes: usize },
    Newer { major: u16, minor: u16 },
    Damaged,
}

impl Header {
    pub(crate) fn parse(bytes: &[u8]) -> Result<(Self, BoardCounts), HeaderProblem> {
        if bytes.is_empty() {
            return Err(HeaderProblem::Empty);
        }
        let shown = bytes.len().min(MAGIC.len());
        if bytes.get(..shown) != MAGIC.get(..shown) {
            return Err(HeaderProblem::NotACapture);
        }
        let truncated = HeaderProblem::Truncated { bytes: bytes.len() };
        let major = u16_at(bytes, at::MAJOR).ok_or(truncated)?;
        let minor = u16_at(bytes, at::MINOR).ok_or(truncated)?;
        // Before anything else is believed: another major version may keep nothing but these first twelve bytes.
        if major > FORMAT_MAJOR {
            return Err(HeaderProblem::Newer { major, minor });
        }
        if bytes.len() < HEADER_LEN {
            return Err(truncated);
        }
        let page = u32_at(bytes, at::HEADER_LEN).unwrap_or(0) as usize;
        let unit = u32_at(bytes, at::UNIT).unwrap_or(0) as usize;
        let lengths_plausible = (HEADER_LEN..=1 << 20).contains(&page)
            && page.is_multiple_of(8)
            && (HEADER_LEN..=16 << 20).contains(&unit)
            && unit.is_power_of_two();
        if major != FORMAT_MAJOR || !lengths_plausible {
            return Err(HeaderProblem::Damaged);
        }
        let number = |offset| u64_at(bytes, offset).unwrap_or(0);
        let mut counts = [0; CycleUnit::COUNT];
        for unit in CycleUnit::all() {
            if let Some(count) = counts.get_mut(unit.index()) {
                *count = number(at::cycles(unit));
            }
        }
        let header = Self {
            major,
            minor,
            start_unix_ns: number(at::START_UNIX_NS),
            start_mono_ns: number(at::START_MONO_NS),
            units: number(at::UNITS),
            lost: number(at::LOST),
            refusal: u32_at(bytes, at::REFUSAL).and_then(Refusal::from_number),
            compactions: number(at::GENERATION),
            page,
            unit,
        };
        Ok((header, BoardCounts { counts, steps: number(at::STEPS) }))
    }
}

/// A fresh header page.
pub(crate) fn fresh_header(start_unix_ns: u64, start_mono_ns: u64) -> [u8; HEADER_LEN] {
    let mut page = [0; HEADER_LEN];
    let mut put = |offset: usize, bytes: &[u8]| {
        if let Some(place) = page.get_mut(offset..offset + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    };
    put(0, &MAGIC);
    put(at::MAJOR, &FORMAT_MAJOR.to_le_bytes());
    put(at::MINOR, &FORMAT_MINOR.to_le_bytes());
    put(at::HEADER_LEN, &(HEADER_LEN as u32).to_le_bytes());
    put(at::UNIT, &(UNIT as u32).to_le_bytes());
    put(at::START_UNIX_NS, &start_unix_ns.to_le_bytes());
    put(at::START_MONO_NS, &start_mono_ns.to_le_bytes());
    page
}

fn u16_at(bytes: &[u8], offset: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(offset..)?.first_chunk()?))
}

pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(offset..)?.first_chunk()?))
}

pub(crate) fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(offset..)?.first_chunk()?))
}
