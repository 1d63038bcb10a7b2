//! `str` objects, read in place.
//!
//! In: a live `str`. Out: a copy of its characters, its size. What must not happen here: `PyUnicode_AsUTF8`,
//! which would leave a UTF-8 copy in the object.

use crate::layout::{SIZE, Text, flags};
use crate::memory;
use crate::object::{Object, Python};

/// The fields of the state word.
struct State {
    /// Bytes per character; 0 for strings of 3.10 and 3.11 that are not ready.
    width: u64,
    compact: bool,
    ascii: bool,
}

fn state(text: Object) -> State {
    let bits = memory::byte(text.0, Text::STATE);
    // 3.10 to 3.14: two bits for interned, then three for kind, then compact, ascii.
    State { width: u64::from(bits >> 2 & 7), compact: bits & 0x20 != 0, ascii: bits & 0x40 != 0 }
}

impl Python {
    /// The first `limit` characters of a `str`; `None` for any other type, and for strings that are not
    /// ready.
    pub(crate) fn text(&self, o: Object, limit: u64) -> Option<String> {
        if !memory::usable(o.0) || !self.type_of(o).has(flags::TEXT) {
            return None;
        }
        let state = state(o);
        let length = memory::word(o.0, SIZE);
        let shown = length.min(limit) as usize;
        let start = match (state.compact, state.ascii) {
            (true, true) => o.0 + self.layout.text.ascii,
            (true, false) => o.0 + self.layout.text.other,
            (false, _) => memory::word(o.0, self.layout.text.other),
        };
        if start == 0 || !matches!(state.width, 1 | 2 | 4) {
            return None;
        }
        let bytes = memory::bytes(start & !7, start & 7, shown.saturating_mul(state.width as usize));
        Some(match state.width {
            1 if state.ascii => String::from_utf8(bytes).unwrap_or_default(),
            1 => bytes.iter().map(|byte| char::from(*byte)).collect(),
            2 => bytes
                .chunks_exact(2)
                .map(|pair| {
                    let unit = pair.iter().rev().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
                    char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)
                })
                .collect(),
            _ => bytes
                .chunks_exact(4)
                .map(|four| {
                    let unit = four.iter().rev().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
                    char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)
                })
                .collect(),
        })
    }

    /// Whether a `str` is exactly these ASCII characters.
    pub(crate) fn is_text(&self, o: Object, ascii: &[u8]) -> bool {
        if o.0 == 0 || self.type_of(o).0 != self.known.text || memory::word(o.0, SIZE) != ascii.len() as u64 {
            return false;
        }
        let state = state(o);
        state.compact && state.ascii && memory::equal(o.0, self.layout.text.ascii, ascii)
    }

    /// Bytes of the object itself. `basic` is its type's basic size: larger for subclasses of `str`, whose
    /// characters stand apart.
    pub(crate) fn text_size(&self, o: Object, basic: u64) -> u64 {
        let state = state(o);
        if !state.compact {
            return basic;
        }
        let head = if state.ascii { self.layout.text.ascii } else { self.layout.text.other };
        head.saturating_add(memory::word(o.0, SIZE).saturating_add(1).saturating_mul(state.width))
    }

    /// Whether the `str` may own memory elsewhere, as [`Python::text_buffers`] shows it.
    #[inline]
    pub(crate) fn has_text_buffers(&self, o: Object) -> bool {
        let state = state(o);
        !(state.compact && (state.ascii || memory::word(o.0, self.layout.text.utf8) == 0))
    }

    /// Memory of a `str` elsewhere: the characters of a non-compact one, the UTF-8 copy.
    pub(crate) fn text_buffers(&self, o: Object, visit: &mut dyn FnMut(u64, u64)) {
        let state = state(o);
        if state.compact && state.ascii {
            return;
        }
        let mut data = 0;
        if !state.compact {
            data = memory::word(o.0, self.layout.text.other);
            visit(data, memory::word(o.0, SIZE).saturating_add(1).saturating_mul(state.width));
        }
        let utf8 = memory::word(o.0, self.layout.text.utf8);
        if utf8 != 0 && utf8 != data {
            visit(utf8, memory::word(o.0, self.layout.text.utf8 - 8).saturating_add(1));
        }
    }
}
