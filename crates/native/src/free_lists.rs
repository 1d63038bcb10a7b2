//! What Python keeps of objects that are gone: lists of free tuples, lists, dicts and floats, for the next of their kind.
//!
//! In: the text of `_PyObject_DebugTypeStats`. Out: bytes that Python's small-object allocator counts as in use for them. What must not happen
//! here: more bytes than there are; a kind that is not known to have the collector's head is taken to have none.
//!
//! They fill in any healthy training: an epoch of an MLP leaves some 460 free tuples, 2000 of each length at most, which is 36 KiB per epoch for a
//! dozen epochs and would pass for a small leak.

use nilometer_host::field::number;

/// The head that the collector puts before its objects, and what blocks are multiples of.
const GC_HEAD: u64 = 16;
const BLOCK: u64 = 16;
/// Kinds that have one.
const COLLECTED: [&[u8]; 3] = [b"PyDictObject", b"PyListObject", b"PyTupleObject"];

/// Bytes in free lists, of all lines together; `None` where there is no such line.
pub(crate) fn kept(text: &[u8]) -> Option<u64> {
    let mut found = text.split(|byte| *byte == b'\n').filter_map(line).peekable();
    found.peek()?;
    found.try_fold(0_u64, u64::checked_add)
}

/// `846 free 1-sized PyTupleObjects * 32 bytes each = 27,072`, `78 free PyDictObjects * 48 bytes each = 3,744`.
fn line(line: &[u8]) -> Option<u64> {
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let count = number(words.next()?)?;
    if words.next()? != b"free" {
        return None;
    }
    let mut kind = words.next()?;
    if kind.ends_with(b"-sized") {
        kind = words.next()?;
    }
    if words.next()? != b"*" {
        return None;
    }
    let size = number(words.next()?)?;
    let head = if COLLECTED.contains(&kind.strip_suffix(b"s").unwrap_or(kind)) { GC_HEAD } else { 0 };
    count.checked_mul(size.checked_add(head)?.checked_next_multiple_of(BLOCK)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_all_kinds() {
        let text = b"         846 free 1-sized PyTupleObjects * 32 bytes each =               27,072
         433 free 2-sized PyTupleObjects * 40 bytes each =               17,320
          78 free PyDictObjects * 48 bytes each =                3,744
           2 free PyFloatObjects * 24 bytes each =                   48
";
        assert_eq!(kept(text), Some(846 * 48 + 433 * 64 + 78 * 64 + 2 * 32));
    }

    #[test]
    fn other_text_says_nothing() {
        assert_eq!(kept(b""), None);
        assert_eq!(kept(b"43 unused pools * 16384 bytes      =              704,512\n"), None);
        assert_eq!(kept(b"18446744073709551615 free PyDictObjects * 48 bytes each = 1\n"), None);
        assert_eq!(kept(b"0 free 10-sized PyTupleObjects * 104 bytes each = 0\n"), Some(0));
    }
}
