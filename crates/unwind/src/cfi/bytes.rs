//! Reads numbers from bytes that a linker wrote.
//!
//! In: a slice and the address at which it is mapped. Out: numbers, or `None` at the slice's end.
//! Never reads outside the slice, never panics, whatever the bytes are.

/// Bytes with the address at which they are (or would be) mapped, which relative pointers need.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    /// The bytes themselves.
    pub bytes: &'a [u8],
    /// Where the first byte is mapped.
    pub address: u64,
}

impl Section<'_> {
    /// Whether the other section has the same address and length.
    pub(crate) fn is(self, other: Section<'_>) -> bool {
        self.address == other.address && self.bytes.len() == other.bytes.len()
    }
}

/// A position in a section that moves forward as it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a> {
    section: Section<'a>,
    at: usize,
    end: usize,
}

/// `DW_EH_PE_omit`: the pointer is not there at all.
pub(crate) const OMITTED: u8 = 0xff;

impl<'a> Bytes<'a> {
    pub(crate) fn new(section: Section<'a>) -> Self {
        Self { section, at: 0, end: section.bytes.len() }
    }

    /// The same bytes from `at` up to `end`, both counted from the section's start.
    pub(crate) fn between(section: Section<'a>, at: usize, end: usize) -> Option<Self> {
        (at <= end && end <= section.bytes.len()).then_some(Self { section, at, end })
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.at >= self.end
    }

    pub(crate) fn skip(&mut self, count: u64) -> Option<()> {
        let at = self.at.checked_add(usize::try_from(count).ok()?)?;
        (at <= self.end).then(|| self.at = at)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let end = self.at.checked_add(N)?;
        if end > self.end {
            return None;
        }
        let found = self.section.bytes.get(self.at..end)?.try_into().ok()?;
        self.at = end;
        Some(found)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// An unsigned LEB128 number; `None` if it does not fit 64 bits.
    pub(crate) fn uleb(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let part = u64::from(byte & 0x7f);
            if shift == 63 && part > 1 {
                return None;
            }
            value |= part << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A signed LEB128 number; bits beyond 64 are refused.
    pub(crate) fn sleb(&mut self) -> Option<i64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                if shift < 57 && byte & 0x40 != 0 {
                    value |= u64::MAX << (shift + 7);
                }
                return Some(value.cast_signed());
            }
        }
        None
    }

    /// A pointer in one of the `DW_EH_PE_*` encodings. `data` is the base of data-relative pointers.
    pub(crate) fn pointer(&mut self, encoding: u8, data: u64) -> Option<u64> {
        let here = self.section.address.wrapping_add(self.at as u64);
        let value = self.number(encoding)?;
        match encoding & 0x70 {
            0x00 => Some(value),
            0x10 => Some(here.wrapping_add(value)),
            0x30 => Some(data.wrapping_add(value)),
            _ => None, // text- and function-relative: no linker for this machine writes them here
        }
        .filter(|_| encoding & 0x80 == 0) // indirect: would mean a read elsewhere in the process
    }

    /// The number of an encoded pointer, without its base.
    pub(crate) fn number(&mut self, encoding: u8) -> Option<u64> {
        match encoding & 0x0f {
            0x00 | 0x04 | 0x0c => self.u64(),
            0x01 => self.uleb(),
            0x02 => self.u16().map(u64::from),
            0x03 => self.u32().map(u64::from),
            0x09 => self.sleb().map(i64::cast_unsigned),
            0x0a => self.u16().map(|n| i64::from(n.cast_signed()).cast_unsigned()),
            0x0b => self.u32().map(|n| i64::from(n.cast_signed()).cast_unsigned()),
            _ => None,
        }
    }

    /// A block: its length as LEB128, then that many bytes, which are returned as a position of their own.
    pub(crate) fn block(&mut self) -> Option<Bytes<'a>> {
        let length = self.uleb()?;
        let start = self.at;
        self.skip(length)?;
        Bytes::between(self.section, start, self.at)
    }
}
