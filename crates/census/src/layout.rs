//! Offsets of the CPython fields that the census reads, by version, in bytes.
//!
//! In: a version. Out: a [`Layout`]. Pure. Offsets that all versions from 3.10 to 3.14 share are constants
//! here. [`crate::check`] compares all of them with live objects before they are trusted.

/// `ob_refcnt` of every object.
pub(crate) const REFERENCES: u64 = 0;
/// `ob_type` of every object.
pub(crate) const TYPE: u64 = 8;
/// `ob_size` of objects of variable size, and the length of `str`.
pub(crate) const SIZE: u64 = 16;
/// The collector's head before each of its objects: next link, previous link, two bits.
pub(crate) const GC_HEAD: u64 = 16;
/// Space before the collector's head for the managed dictionary and weak references.
pub(crate) const PRE_HEADER: u64 = 16;
/// Bits of the collector's links that are not part of an address.
pub(crate) const GC_BITS: u64 = 3;

/// Fields of a type.
pub(crate) mod types {
    pub(crate) const NAME: u64 = 24;
    pub(crate) const BASIC_SIZE: u64 = 32;
    pub(crate) const ITEM_SIZE: u64 = 40;
    pub(crate) const FLAGS: u64 = 168;
    pub(crate) const TRAVERSE: u64 = 184;
    pub(crate) const BASE: u64 = 256;
    pub(crate) const DICT: u64 = 264;
    pub(crate) const DICT_OFFSET: u64 = 288;
    pub(crate) const IS_GC: u64 = 328;
    pub(crate) const BASES: u64 = 336;
    pub(crate) const MRO: u64 = 344;
    pub(crate) const SUBCLASSES: u64 = 360;
}

/// Flags of a type.
pub(crate) mod flags {
    /// 3.12 on: parts of the type are in the interpreter, and some of its fields are numbers.
    pub(crate) const STATIC_BUILTIN: u64 = 1 << 1;
    /// 3.13 on: attributes stand behind the object itself.
    pub(crate) const INLINE_VALUES: u64 = 1 << 2;
    /// 3.12 on: weak references stand before the object.
    pub(crate) const MANAGED_WEAK: u64 = 1 << 3;
    /// 3.11 on: the dictionary stands before the object.
    pub(crate) const MANAGED_DICT: u64 = 1 << 4;
    /// Made at run time.
    pub(crate) const HEAP: u64 = 1 << 9;
    pub(crate) const GC: u64 = 1 << 14;
    pub(crate) const INTEGER: u64 = 1 << 24;
    pub(crate) const LIST: u64 = 1 << 25;
    pub(crate) const TUPLE: u64 = 1 << 26;
    pub(crate) const BYTES: u64 = 1 << 27;
    pub(crate) const TEXT: u64 = 1 << 28;
    pub(crate) const DICT: u64 = 1 << 29;
    pub(crate) const EXCEPTION: u64 = 1 << 30;
    pub(crate) const TYPE: u64 = 1 << 31;
}

/// Fields of a list.
pub(crate) mod list {
    pub(crate) const ITEMS: u64 = 24;
    pub(crate) const ALLOCATED: u64 = 32;
}

/// Fields of a dict, and of an object with a key table.
pub(crate) mod dict {
    pub(crate) const USED: u64 = 16;
    pub(crate) const KEYS: u64 = 32;
    pub(crate) const VALUES: u64 = 40;
}

/// Fields of a set and of a frozenset.
pub(crate) mod set {
    pub(crate) const USED: u64 = 24;
    pub(crate) const MASK: u64 = 32;
    pub(crate) const TABLE: u64 = 40;
    pub(crate) const SMALL_TABLE: u64 = 64;
    /// Key and hash.
    pub(crate) const ENTRY: u64 = 16;
}

/// A link of an `lru_cache`: previous, next, hash, key, result; the same from Python 3.8 on.
pub(crate) mod lru {
    pub(crate) const LINK: &[u8] = b"functools._lru_list_elem";
    pub(crate) const RESULT: u64 = 48;
}

/// Fields of a deque and of its blocks.
pub(crate) mod deque {
    pub(crate) const LEFT_BLOCK: u64 = 24;
    pub(crate) const RIGHT_BLOCK: u64 = 32;
    pub(crate) const LEFT_INDEX: u64 = 40;
    pub(crate) const RIGHT_INDEX: u64 = 48;
    /// 3.10; from 3.11 on, with a list of free blocks at the end.
    pub(crate) const BASIC_SIZES: [u64; 2] = [80, 216];
    /// Items per block. The link to the left stands before them, the link to the right behind.
    pub(crate) const PER_BLOCK: u64 = 64;
    pub(crate) const BLOCK: u64 = 8 + 8 * PER_BLOCK + 8;
}

/// Fields of `PyDictKeysObject`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Keys {
    /// 3.11 on: sizes as powers of two, in bytes. 3.10: the size in entries, in a word.
    pub(crate) logarithmic: bool,
    pub(crate) usable: u64,
    pub(crate) entries: u64,
    pub(crate) indices: u64,
}

impl Keys {
    /// `dk_log2_size`, or 3.10's `dk_size`.
    pub(crate) const SIZE: u64 = 8;
    /// `dk_log2_index_bytes`.
    pub(crate) const INDEX_BYTES: u64 = 9;
    /// `dk_kind`; 0: keys of any kind, with hashes.
    pub(crate) const KIND: u64 = 10;
}

/// Location of the values of an instance without a dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    /// 3.10: there are none.
    None,
    /// 3.11: a pointer four words before the object; the dictionary is three words before it.
    Before,
    /// 3.12: a tagged pointer three words before the object, or the dictionary in its place.
    Tagged,
    /// 3.13 on: behind the object; the dictionary is three words before it.
    Behind,
}

/// Fields of a `str`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    /// Bytes before the characters: of an ASCII `str`, of any other.
    pub(crate) ascii: u64,
    pub(crate) other: u64,
    /// The UTF-8 copy; its length stands one word before.
    pub(crate) utf8: u64,
}

impl Text {
    /// `state`: in its low byte, from bit 2 on: kind (3 bits), compact, ascii.
    pub(crate) const STATE: u64 = 32;
}

/// All offsets that differ between versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) version: (u8, u8),
    pub(crate) keys: Keys,
    pub(crate) values: Values,
    pub(crate) text: Text,
    /// `tp_basicsize` of `type`.
    pub(crate) type_size: u64,
    /// `ht_cached_keys` of types made at run time.
    pub(crate) cached_keys: u64,
    pub(crate) collector: Collector,
    /// First item of a tuple, inside the tuple. 3.14 has the hash before it.
    pub(crate) tuple_items: u64,
    /// Reference counts are 32 bits wide, and negative for immortal objects.
    pub(crate) immortals: bool,
    /// 3.14: the other half of the word has flags.
    pub(crate) flags_beside_count: bool,
}

/// Location of the collector's state, and those of its fields that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Collector {
    /// `gc` in the interpreter's state.
    pub(crate) state: u64,
    /// A pointer to the youngest generation: proof that the offset is right. The first releases of 3.14,
    /// which collect incrementally, have none.
    pub(crate) youngest: u64,
    /// The head of the list of frozen objects.
    pub(crate) permanent: u64,
}

impl Collector {
    /// Three of [`Collector::GENERATION`] bytes, each beginning with the head of its list.
    pub(crate) const GENERATIONS: u64 = 24;
    pub(crate) const GENERATION: u64 = 24;

    fn until_13(state: u64) -> Collector {
        Collector { state, youngest: 96, permanent: 104 }
    }
}

impl Layout {
    /// The layout of a version; `None` for unknown versions.
    pub(crate) fn of(version: (u8, u8)) -> Option<Layout> {
        let keys = Keys { logarithmic: true, usable: 16, entries: 24, indices: 32 };
        let old_text = Text { ascii: 48, other: 72, utf8: 56 };
        let text = Text { ascii: 40, other: 56, utf8: 48 };
        Some(match version {
            (3, 10) => Layout {
                version,
                keys: Keys { logarithmic: false, usable: 24, entries: 32, indices: 40 },
                values: Values::None,
                text: old_text,
                type_size: 888,
                cached_keys: 872,
                collector: Collector::until_13(616),
                tuple_items: 24,
                immortals: false,
                flags_beside_count: false,
            },
            (3, 11) => Layout {
                version,
                keys,
                values: Values::Before,
                text: old_text,
                type_size: 904,
                cached_keys: 872,
                collector: Collector::until_13(648),
                tuple_items: 24,
                immortals: false,
                flags_beside_count: false,
            },
            (3, 12) => Layout {
                version,
                keys,
                values: Values::Tagged,
                text,
                type_size: 920,
                cached_keys: 880,
                collector: Collector::until_13(112),
                tuple_items: 24,
                immortals: true,
                flags_beside_count: false,
            },
            (3, 13) => Layout {
                version,
                keys,
                values: Values::Behind,
                text,
                type_size: 928,
                cached_keys: 880,
                collector: Collector::until_13(7400),
                tuple_items: 24,
                immortals: true,
                flags_beside_count: false,
            },
            (3, 14) => Layout {
                version,
                keys,
                values: Values::Behind,
                text,
                type_size: 936,
                cached_keys: 880,
                collector: Collector { state: 7408, youngest: 256, permanent: 96 },
                tuple_items: 32,
                immortals: true,
                flags_beside_count: true,
            },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_without_a_layout() {
        for version in [(3, 9), (3, 15), (2, 7), (4, 10)] {
            assert_eq!(Layout::of(version), None);
        }
        assert!(
            (10..=14).all(|minor| Layout::of((3, minor)).is_some_and(|found| found.version == (3, minor)))
        );
    }
}
