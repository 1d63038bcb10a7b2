//! Copies names from CPython's strings as UTF-8 into buffers of fixed size.
//!
//! In: the address of a `str`. Out: its characters. A long name is cut and marked with `…`: a file name at
//! its beginning, because its end tells more; a function name at its end. A lone surrogate, which stands for
//! an undecodable byte, becomes `�`. What must not happen here: allocation.

use crate::layout::{LENGTH, Layout, OBJECT_TYPE, TEXT_STATE};
use crate::memory::{bytes, int, word};

/// Longer than any path that the kernel accepts.
const MAX_TEXT_CHARS: u64 = 1 << 16;
const ELLIPSIS: char = '…';
const UNKNOWN: char = '?';

/// Buffers for a file name and a function name. 1.5 KiB.
#[derive(Clone, Debug)]
pub struct Text {
    pub(crate) file: Name<1024>,
    pub(crate) function: Name<512>,
}

impl Text {
    /// Empty buffers.
    pub const fn new() -> Self {
        Self { file: Name::new(), function: Name::new() }
    }

    /// The file name; `?` if unknown.
    pub fn file(&self) -> &str {
        self.file.as_str()
    }

    /// The qualified name of the function; `?` if unknown.
    pub fn function(&self) -> &str {
        self.function.as_str()
    }

    pub(crate) fn clear(&mut self) {
        self.file.clear();
        self.function.clear();
        self.file.push(UNKNOWN);
        self.function.push(UNKNOWN);
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::new()
    }
}

/// UTF-8 of at most `N` bytes.
#[derive(Clone, Debug)]
pub(crate) struct Name<const N: usize> {
    room: [u8; N],
    length: usize,
}

impl<const N: usize> Name<N> {
    const fn new() -> Self {
        Self { room: [0; N], length: 0 }
    }

    fn as_str(&self) -> &str {
        self.room.get(..self.length).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or("?")
    }

    fn clear(&mut self) {
        self.length = 0;
    }

    /// Appends a character if there is room.
    fn push(&mut self, character: char) {
        let size = character.len_utf8();
        if let Some(room) = self.room.get_mut(self.length..self.length + size) {
            character.encode_utf8(room);
            self.length += size;
        }
    }

    /// Copies all, or as much of the beginning as fits before the mark.
    fn set_head(&mut self, text: Characters) {
        self.clear();
        let fits = text.clone().map(char::len_utf8).sum::<usize>() <= N;
        let room = if fits { N } else { N - ELLIPSIS.len_utf8() };
        for character in text {
            if self.length + character.len_utf8() > room {
                break;
            }
            self.push(character);
        }
        if !fits {
            self.push(ELLIPSIS);
        }
    }

    /// Copies all, or the mark and as much of the end as fits.
    fn set_tail(&mut self, text: Characters) {
        self.clear();
        let mut left = text.clone().map(char::len_utf8).sum::<usize>();
        let fits = left <= N;
        if !fits {
            self.push(ELLIPSIS);
        }
        for character in text {
            if fits || left <= N - ELLIPSIS.len_utf8() {
                self.push(character);
            }
            left -= character.len_utf8();
        }
    }
}

/// The characters of a string, of one, two or four bytes each.
#[derive(Clone)]
struct Characters<'a> {
    text: &'a [u8],
    width: usize,
}

impl Iterator for Characters<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let (character, rest) = self.text.split_at_checked(self.width)?;
        self.text = rest;
        let number = character.iter().rev().fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
        Some(char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER))
    }
}

pub(crate) fn copy_head<const N: usize>(layout: &Layout, object: u64, into: &mut Name<N>) -> Option<()> {
    with_characters(layout, object, |text| into.set_head(text))
}

pub(crate) fn copy_tail<const N: usize>(layout: &Layout, object: u64, into: &mut Name<N>) -> Option<()> {
    with_characters(layout, object, |text| into.set_tail(text))
}

/// `None` unless the object is exactly a `str` whose characters follow its head.
fn with_characters(layout: &Layout, object: u64, read: impl FnOnce(Characters)) -> Option<()> {
    const COMPACT: u32 = 1 << 5;
    const ASCII: u32 = 1 << 6;
    if word(object, OBJECT_TYPE)? != layout.types.text {
        return None;
    }
    let state = int(object, TEXT_STATE)?.cast_unsigned();
    let width = state >> 2 & 7;
    if state & COMPACT == 0 || !matches!(width, 1 | 2 | 4) {
        return None;
    }
    let head = if state & ASCII != 0 { layout.text.ascii } else { layout.text.other };
    let length = word(object, LENGTH).filter(|length| *length <= MAX_TEXT_CHARS)?;
    bytes(object, head, length * u64::from(width), |text| read(Characters { text, width: width as usize }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name<const N: usize>(set: impl FnOnce(&mut Name<N>)) -> String {
        let mut name = Name::<N>::new();
        set(&mut name);
        name.as_str().to_owned()
    }

    fn latin(text: &[u8]) -> Characters<'_> {
        Characters { text, width: 1 }
    }

    #[test]
    fn all_that_fits() {
        assert_eq!(name::<8>(|name| name.set_head(latin(b"abcdefgh"))), "abcdefgh");
        assert_eq!(name::<8>(|name| name.set_tail(latin(b"abcdefgh"))), "abcdefgh");
        assert_eq!(name::<8>(|name| name.set_tail(latin(b""))), "");
    }

    #[test]
    fn cut_names_keep_the_telling_end() {
        assert_eq!(name::<8>(|name| name.set_head(latin(b"abcdefghi"))), "abcde…");
        assert_eq!(name::<8>(|name| name.set_tail(latin(b"abcdefghi"))), "…efghi");
        // Characters are never split: é takes two bytes, so only two of them fit beside the mark.
        assert_eq!(name::<8>(|name| name.set_head(latin(b"\xe9\xe9\xe9\xe9\xe9"))), "éé…");
        assert_eq!(name::<8>(|name| name.set_tail(latin(b"\xe9\xe9\xe9\xe9\xe9"))), "…éé");
    }

    #[test]
    fn wide_characters_and_lone_surrogates() {
        let two: Vec<u8> = [0x0436_u16, 0xdc80, 0x61].iter().flat_map(|unit| unit.to_le_bytes()).collect();
        assert_eq!(name::<32>(|name| name.set_head(Characters { text: &two, width: 2 })), "ж\u{fffd}a");
        let four: Vec<u8> = [0x1_f40d_u32, 0x11_0000].iter().flat_map(|unit| unit.to_le_bytes()).collect();
        assert_eq!(name::<32>(|name| name.set_head(Characters { text: &four, width: 4 })), "🐍\u{fffd}");
    }
}
