//! Reading `.eh_frame_hdr` and `.eh_frame`: what a compiler says about how to go from a frame to its caller.
//!
//! In: the two sections as bytes, and an address. Out: the rule that holds there. Pure: it knows nothing of the process
//! it runs in, never reads outside the bytes it was given, never panics and never allocates.

mod bytes;
mod caller;
mod entry;
pub(crate) mod expression;
mod index;
pub(crate) mod program;

pub use bytes::Section;
pub use caller::{Caller, Values};
pub use index::Index;

use crate::rule::{Kind, Rule};
use entry::Entry;
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
    /// The same sections in memory; their bytes are not compared.
    fn eq(&self, other: &Self) -> bool {
        self.header.is(other.header) && self.eh_frame.is(other.eh_frame) && self.index == other.index
    }
}

impl Frames<'_> {
    fn entry(&self, address: u64) -> Option<Entry<'_>> {
        let entry = Entry::read(self.eh_frame, self.index.entry(self.header, address)?)?;
        (entry.start <= address && address < entry.end).then_some(entry)
    }

    /// First address and first address behind the function (or part of one) that covers `address`.
    pub fn range(&self, address: u64) -> Option<(u64, u64)> {
        self.entry(address).map(|entry| (entry.start, entry.end))
    }

    /// The packed rule at `address`; [`Kind::Unknown`] if nothing is said about it.
    #[inline(never)]
    pub fn rule(&self, address: u64) -> Rule {
        self.row(address)
            .map_or(Rule::bare(Kind::Unknown), |(row, signal)| Rule::pack(&row, self.eh_frame, signal))
    }

    /// The whole row at `address`, and whether it describes a signal frame.
    pub(crate) fn row(&self, address: u64) -> Option<(Row, bool)> {
        let entry = self.entry(address)?;
        // The return address must be in the column where the rows of this crate keep it.
        if entry.return_register != program::RETURN as u64 {
            return None;
        }
        Some((program::row(&entry, address)?, entry.signal))
    }
}
