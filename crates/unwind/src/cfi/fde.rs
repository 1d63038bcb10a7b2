//! A function's entry in `.eh_frame` (its FDE), with the part that it shares with others (its CIE).
//!
//! In: the section and the entry's address. Out: the range of code and the places of its two programs.

use super::bytes::{Bytes, OMITTED, Section};

/// The frame information of one function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fde<'a> {
    /// First address of the code.
    pub(crate) start: u64,
    /// First address behind the code.
    pub(crate) end: u64,
    /// The program that all entries of the CIE begin with, and the function's own.
    pub(crate) initial: Bytes<'a>,
    pub(crate) program: Bytes<'a>,
    pub(crate) encoding: u8,
    pub(crate) code_factor: u64,
    pub(crate) data_factor: i64,
    pub(crate) return_register: u64,
    /// A frame that the kernel laid out: its caller was interrupted and made no call.
    pub(crate) signal: bool,
}

struct Cie<'a> {
    initial: Bytes<'a>,
    code_factor: u64,
    data_factor: i64,
    return_register: u64,
    encoding: u8,
    augmented: bool,
    signal: bool,
}

impl<'a> Fde<'a> {
    /// Reads the entry at `address`. `None`: no entry, or an unknown form.
    pub(crate) fn read(section: Section<'a>, address: u64) -> Option<Fde<'a>> {
        let at = usize::try_from(address.checked_sub(section.address)?).ok()?;
        let (mut bytes, back) = body(section, at)?;
        let cie = Cie::read(section, back?)?;
        let start = bytes.pointer(cie.encoding, 0)?;
        let length = bytes.number(cie.encoding & 0x0f)?;
        if cie.augmented {
            bytes.block()?;
        }
        Some(Fde {
            start,
            end: start.checked_add(length)?,
            initial: cie.initial,
            program: bytes,
            encoding: cie.encoding,
            code_factor: cie.code_factor,
            data_factor: cie.data_factor,
            return_register: cie.return_register,
            signal: cie.signal,
        })
    }
}

/// The bytes of an entry behind its length and CIE pointer, and the offset of its CIE; `None` if it is a CIE
/// itself.
fn body(section: Section<'_>, at: usize) -> Option<(Bytes<'_>, Option<usize>)> {
    let mut bytes = Bytes::between(section, at, section.bytes.len())?;
    let length = match bytes.u32()? {
        0 => return None, // the section's end mark
        u32::MAX => bytes.u64()?,
        short => u64::from(short),
    };
    let pointer = bytes.at();
    let end = pointer.checked_add(usize::try_from(length).ok()?)?;
    let mut bytes = Bytes::between(section, pointer, end)?;
    let back = match bytes.u32()? {
        0 => None,
        back => Some(pointer.checked_sub(back as usize)?),
    };
    Some((bytes, back))
}

impl<'a> Cie<'a> {
    fn read(section: Section<'a>, at: usize) -> Option<Cie<'a>> {
        let (mut bytes, None) = body(section, at)? else { return None };
        let version = bytes.u8()?;
        if !matches!(version, 1 | 3) {
            return None;
        }
        let mut augmentation = bytes;
        while bytes.u8()? != 0 {}
        let code_factor = bytes.uleb()?;
        let data_factor = bytes.sleb()?;
        let return_register = if version == 1 { u64::from(bytes.u8()?) } else { bytes.uleb()? };
        let mut cie = Cie {
            initial: bytes,
            code_factor,
            data_factor,
            return_register,
            encoding: 0,
            augmented: false,
            signal: false,
        };
        match augmentation.u8()? {
            0 => return Some(cie),
            b'z' => cie.augmented = true,
            _ => return None,
        }
        let mut data = bytes.block()?;
        cie.initial = bytes;
        loop {
            match augmentation.u8()? {
                0 => break,
                b'R' => cie.encoding = data.u8()?,
                b'S' => cie.signal = true,
                b'L' => _ = data.u8()?,
                b'P' => {
                    let encoding = data.u8()?;
                    if encoding != OMITTED {
                        data.number(encoding)?;
                    }
                }
                _ => return None, // its data, and with it all that follows, cannot be told apart
            }
        }
        Some(cie)
    }
}
