//! Short texts of objects whose `repr` needs no user code: `str`, `int`, `float`, `None`, `bool`, `bytes`,
//! small tuples.
//!
//! In: a live object. Out: the text of Python's own `repr`, cut if long; `<Name>` for every other type. What
//! must not happen here: a call of `__repr__` or `__str__`; a write, so no cached UTF-8 in the user's
//! strings.

use super::HeapView;
use super::kinds::Kind;
use super::offsets::BYTES;
use crate::layout::{SIZE, TYPE};
use crate::memory::{bytes, c_string, int, word};

/// Characters of a key that are shown; longer keys are cut.
const SHOWN_KEY_CHARS: usize = 48;

impl HeapView<'_> {
    /// Whether it is `None`.
    pub(crate) fn is_none(&self, object: u64) -> bool {
        object == self.well_known.none
    }

    /// The short text of a key.
    pub(crate) fn short(&self, object: u64) -> String {
        self.short_within(object, 0)
    }

    fn short_within(&self, object: u64, depth: u32) -> String {
        let class = word(object, TYPE);
        match self.kinds.of(object) {
            Kind::Text => self
                .text(object, SHOWN_KEY_CHARS + 1)
                .map_or_else(|| self.bracketed(object), |text| quoted(&text)),
            Kind::Integer => self.integer(object, class).unwrap_or_else(|| self.bracketed(object)),
            Kind::Bytes => {
                let length = (word(object, SIZE) as usize).min(SHOWN_KEY_CHARS + 1);
                let text: String = bytes(object, BYTES, length).escape_ascii().to_string();
                format!("b{}", quoted(&text))
            }
            Kind::Tuple if depth == 0 && word(object, SIZE) <= 4 => {
                let parts: Vec<String> = (0..word(object, SIZE))
                    .map(|index| self.short_within(self.at(object, index, Kind::Tuple), depth + 1))
                    .collect();
                if parts.len() == 1 {
                    format!("({},)", parts.concat())
                } else {
                    format!("({})", parts.join(", "))
                }
            }
            _ if self.is_none(object) => "None".to_owned(),
            _ if class == self.well_known.float => format!("{:?}", f64::from_bits(word(object, 16))),
            _ => self.bracketed(object),
        }
    }

    fn bracketed(&self, object: u64) -> String {
        format!("<{}>", self.type_name(word(object, TYPE)))
    }

    /// An `int` of at most two digits of 30 bits, or a `bool`.
    fn integer(&self, object: u64, class: u64) -> Option<String> {
        const DIGIT: u32 = 30;
        let (digits, negative) = if self.offsets.version < (3, 12) {
            let size = word(object, SIZE).cast_signed();
            (size.unsigned_abs(), size < 0)
        } else {
            let tag = word(object, SIZE);
            (tag >> 3, tag & 3 == 2)
        };
        let low = u64::from(int(object, 24).cast_unsigned());
        let value = match digits {
            0 => 0,
            1 => low,
            2 => u64::from(int(object, 28).cast_unsigned()) << DIGIT | low,
            _ => return None,
        };
        if class == self.well_known.boolean {
            return Some(if value == 0 { "False" } else { "True" }.to_owned());
        }
        Some(format!("{}{value}", if negative { "-" } else { "" }))
    }
}

/// Whether a key can be written as an attribute.
pub(crate) fn is_identifier(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first == '_' || first.is_alphabetic())
        && letters.all(|letter| letter == '_' || letter.is_alphanumeric())
}

/// A C name, such as a type's.
pub(super) fn name_at(address: u64, limit: u64) -> String {
    String::from_utf8_lossy(&c_string(address, limit)).into_owned()
}

fn quoted(text: &str) -> String {
    let mut shown = String::from("'");
    for (count, letter) in text.chars().enumerate() {
        if count == SHOWN_KEY_CHARS {
            shown.push('…');
            break;
        }
        match letter {
            '\'' => shown.push_str("\\'"),
            '\\' => shown.push_str("\\\\"),
            letter if letter.is_control() => shown.extend(letter.escape_default()),
            letter => shown.push(letter),
        }
    }
    shown.push('\'');
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers() {
        for yes in ["a", "_a1", "größe"] {
            assert!(is_identifier(yes));
        }
        for no in ["", "1a", "a b", "a.b", "a-b"] {
            assert!(!is_identifier(no));
        }
    }

    #[test]
    fn quotes() {
        assert_eq!(quoted("it's\n"), r"'it\'s\n'");
        assert_eq!(quoted(&"x".repeat(60)), format!("'{}…'", "x".repeat(48)));
    }
}
