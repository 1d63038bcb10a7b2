//! `.eh_frame_hdr`: the sorted table that leads from an address to its entry in `.eh_frame`.
//!
//! In: the section. Out: the address of the one entry that can cover an address.
//! Only the form that linkers write is read: pairs of 32-bit numbers relative to the section's start.

use super::bytes::{Bytes, Section};

/// `DW_EH_PE_datarel | DW_EH_PE_sdata4`.
const TABLE_ENCODING: u8 = 0x3b;

/// The table's place in the section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index {
    /// The address of `.eh_frame`.
    pub eh_frame: u64,
    first: usize,
    count: usize,
}

impl Index {
    /// Reads the head of the section. `None`: no table, or one of another form.
    pub fn read(header: Section<'_>) -> Option<Index> {
        let mut bytes = Bytes::new(header);
        let version = bytes.u8()?;
        let frame = bytes.u8()?;
        let count = bytes.u8()?;
        let table = bytes.u8()?;
        if version != 1 || table != TABLE_ENCODING {
            return None;
        }
        let eh_frame = bytes.pointer(frame, header.address)?;
        let count = bytes.pointer(count, header.address)?;
        let first = bytes.at();
        let room = header.bytes.len().checked_sub(first)? / 8;
        // A count larger than the section is wrong; the entries that fit are still sorted.
        let count = usize::try_from(count).ok()?.min(room);
        (count > 0).then_some(Index { eh_frame, first, count })
    }

    /// The address of the last entry that does not start after `address`.
    pub fn entry(&self, header: Section<'_>, address: u64) -> Option<u64> {
        let wanted = address.wrapping_sub(header.address).cast_signed();
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.number(header, middle, 0)? <= wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let entry = self.number(header, low.checked_sub(1)?, 4)?;
        Some(header.address.wrapping_add(entry.cast_unsigned()))
    }

    fn number(&self, header: Section<'_>, pair: usize, offset: usize) -> Option<i64> {
        let at = self.first.checked_add(pair.checked_mul(8)?)?.checked_add(offset)?;
        let bytes = header.bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        Some(i64::from(i32::from_le_bytes(bytes)))
    }
}
