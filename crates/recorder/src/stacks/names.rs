//! Python code and lines as numbers: each is written once.
//!
//! In: live Python frames. Out: the id of their code and their line. What must not happen here: a code object that has
//! come to another one's address taken for it; its identity is hashed along.

use nilometer_capture::{Sampling, Writer};
use nilometer_pyframes::{Frame, Python, Text};

use super::map::{Map, mix, mix_text};

/// Bits of a line number in a place.
pub(crate) const LINE_BITS: u32 = 28;

pub(crate) struct Names {
    /// Identity of the code and instruction -> id of the code and line.
    places: Map,
    /// Identity of the code -> id.
    codes: Map,
    /// Text -> id.
    texts: Map,
    last_code: u64,
    last_text: u64,
    text: Text,
}

impl Names {
    pub(crate) const fn new() -> Self {
        Self {
            places: Map::new(1 << 16),
            codes: Map::new(1 << 15),
            texts: Map::new(1 << 15),
            last_code: 0,
            last_text: 0,
            text: Text::new(),
        }
    }

    /// Code id and line of a live frame, packed; `None` if there is no room for more, or they could not be written.
    pub(crate) fn place(
        &mut self,
        python: &Python,
        identity: u64,
        frame: Frame,
        at_ns: u64,
        writer: &Writer,
    ) -> Option<u64> {
        let hash = mix(identity, u64::from(frame.instruction));
        if let Some(place) = self.places.get(hash) {
            return Some(place);
        }
        let code = match self.codes.get(mix(identity, 0)) {
            Some(code) => code,
            None => self.code(python, identity, frame.code, at_ns, writer)?,
        };
        let line = u64::from(python.line(frame)).min((1 << LINE_BITS) - 1);
        let place = code << LINE_BITS | line;
        // Forgotten when there is no room: the line is decoded again then.
        self.places.insert(hash, place);
        Some(place)
    }

    fn code(
        &mut self,
        python: &Python,
        identity: u64,
        code: u64,
        at_ns: u64,
        writer: &Writer,
    ) -> Option<u64> {
        if !self.codes.has_room(1) || !self.texts.has_room(2) {
            return None;
        }
        let facts = python.code(code, &mut self.text);
        let file = text_id(&mut self.texts, &mut self.last_text, self.text.file(), at_ns, writer)?;
        let function = text_id(&mut self.texts, &mut self.last_text, self.text.function(), at_ns, writer)?;
        let id = self.last_code + 1;
        let said = Sampling::Code { id, file, function, first_line: u64::from(facts.first_line) };
        if !writer.append_sampling(at_ns, &said) {
            return None;
        }
        self.last_code = id;
        self.codes.insert(mix(identity, 0), id).then_some(id)
    }
}

fn text_id(texts: &mut Map, last: &mut u64, text: &str, at_ns: u64, writer: &Writer) -> Option<u64> {
    let hash = mix_text(text);
    if let Some(id) = texts.get(hash) {
        return Some(id);
    }
    let id = *last + 1;
    if !writer.append_sampling(at_ns, &Sampling::Text { id, text: text.into() }) {
        return None;
    }
    *last = id;
    texts.insert(hash, id).then_some(id)
}
