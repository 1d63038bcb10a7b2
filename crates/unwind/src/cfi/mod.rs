//! Reads `.eh_frame_hdr` and `.eh_frame`: the compiler's rules for going from a frame to its caller.
//!
//! In: the two sections as bytes, and an address. Out: the rule for that address. Pure: no access to the
//! process, no read outside the given bytes, no panic, no allocation.

mod bytes;
mod caller;
pub(crate) mod expression;
mod fde;
mod index;
pub(crate) mod program;

pub use bytes::Section;
pub use caller::{Caller, Values};
pub use index::Index;

use crate::rule::{Kind, Rule};
use fde::Fde;
use program::Row;

/// The two sections of one object.
#[derive(Clone, Copy, Debug)]
pub struct Frames<'a> {
    /// `.eh_frame_hdr`.
    pub header: Section<'a>,
    /// `.eh_frame`.
    pub eh_frame: Section<'a>,
    /// The header's table, read once.
    pub index: Index,
}

impl PartialEq for Frames<'_> {
    /// Whether these are the same sections in memory; their bytes are not compared.
    fn eq(&self, other: &Self) -> bool {
        self.header.is(other.header) && self.eh_frame.is(other.eh_frame) && self.index == other.index
    }
}

impl Frames<'_> {
    fn entry(&self, address: u64) -> Option<Fde<'_>> {
        let entry = Fde::read(self.eh_frame, self.index.entry(self.header, address)?)?;
        (entry.start <= address && address < entry.end).then_some(entry)
    }

    /// First address, and first address behind, of the function or part of a function that covers `address`.
    pub fn range(&self, address: u64) -> Option<(u64, u64)> {
        self.entry(address).map(|entry| (entry.start, entry.end))
    }

    /// The packed rule at `address`; [`Kind::Unknown`] if there is none.
    #[inline(never)]
    pub fn rule(&self, address: u64) -> Rule {
        self.row(address)
            .map_or(Rule::bare(Kind::Unknown), |(row, signal)| Rule::pack(&row, self.eh_frame, signal))
    }

    /// The whole row at `address`, and whether it describes a signal frame.
    pub(crate) fn row(&self, address: u64) -> Option<(Row, bool)> {
        let entry = self.entry(address)?;
        // The return address must be in the column that the rows of this crate use.
        if entry.return_register != program::RETURN as u64 {
            return None;
        }
        Some((program::row(&entry, address)?, entry.signal))
    }
}
