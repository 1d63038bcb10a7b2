//! Key tables of dicts and attributes of instances, read in place.
//!
//! In: a live dict or instance. Out: keys and values in insertion order, sizes of tables. What must not
//! happen here: a comparison of keys by Python; a new `__dict__`, which the next census would see as another
//! object.

use crate::layout::{Keys, Values, dict, flags, types};
use crate::memory;
use crate::object::{Object, Python, Type};

/// A key table: CPython's `PyDictKeysObject`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyTable {
    address: u64,
    /// Entries in use or deleted.
    pub(crate) entries: u64,
    usable: u64,
    /// Where the entries begin.
    start: u64,
    /// Bytes per entry.
    width: u64,
}

impl KeyTable {
    pub(crate) fn of(python: &Python, address: u64) -> Option<KeyTable> {
        let keys = &python.layout.keys;
        if !memory::usable(address) {
            return None;
        }
        let entries = memory::word(address, keys.entries);
        let usable = memory::word(address, keys.usable);
        let (indices, width) = if keys.logarithmic {
            let bits = memory::byte(address, Keys::INDEX_BYTES);
            if bits > 48 {
                return None;
            }
            (1_u64 << bits, if memory::byte(address, Keys::KIND) == 0 { 24 } else { 16 })
        } else {
            let size = memory::word(address, Keys::SIZE);
            let each = match size {
                0..=0xff => 1,
                0x100..=0xffff => 2,
                0x1_0000..=0xffff_ffff => 4,
                _ => 8,
            };
            (size.checked_mul(each)?, 24)
        };
        (entries < 1 << 40 && usable < 1 << 40).then_some(KeyTable {
            address,
            entries,
            usable,
            start: address + keys.indices + indices,
            width,
        })
    }

    /// Key and value at an index; 0 for a deleted entry. A shared table has no values: they stand with the
    /// instance.
    pub(crate) fn entry(&self, index: u64) -> (u64, u64) {
        let at = self.start + index * self.width;
        // With hashes: hash, key, value; without: key, value.
        let at = if self.width == 24 { at + 8 } else { at };
        (memory::word(at, 0), memory::word(at, 8))
    }

    /// Entries that fit before the table must grow.
    pub(crate) fn capacity(&self) -> u64 {
        self.entries + self.usable
    }

    /// The table's address and bytes.
    pub(crate) fn block(&self) -> (u64, u64) {
        (self.address, (self.start - self.address) + (self.entries + self.usable) * self.width)
    }
}

/// A dict's keys and the place of its values.
pub(crate) struct DictView {
    pub(crate) table: KeyTable,
    /// 0: the values stand in the table.
    pub(crate) values: u64,
}

impl DictView {
    /// Key and value at an index, if the table has both.
    pub(crate) fn entry(&self, index: u64) -> Option<(Object, Object)> {
        let (key, value) = self.table.entry(index);
        let value = if self.values == 0 { value } else { memory::word(self.values + 8 * index, 0) };
        (key != 0 && value != 0).then_some((Object(key), Object(value)))
    }

    /// Each key and value in insertion order, until `visit` says false.
    pub(crate) fn each(&self, visit: &mut dyn FnMut(Object, Object) -> bool) {
        for index in 0..self.table.entries {
            if let Some((key, value)) = self.entry(index)
                && !visit(key, value)
            {
                return;
            }
        }
    }
}

impl Python {
    /// The table of a dict or of a subclass of dict.
    pub(crate) fn dict_view(&self, o: Object) -> Option<DictView> {
        if !memory::usable(o.0) || !self.type_of(o).has(flags::DICT) {
            return None;
        }
        let table = KeyTable::of(self, memory::word(o.0, dict::KEYS))?;
        let values = memory::word(o.0, dict::VALUES);
        Some(DictView { table, values: self.first_value(values) })
    }

    /// From 3.13 on a word of sizes stands before the values of an instance.
    fn first_value(&self, values: u64) -> u64 {
        if values != 0 && self.layout.values == Values::Behind { values + 8 } else { values }
    }

    /// The value of a `str` key.
    pub(crate) fn dict_item(&self, o: Object, name: &[u8]) -> Option<Object> {
        let mut found = None;
        self.dict_view(o)?.each(&mut |key, value| {
            if self.is_text(key, name) {
                found = Some(value);
            }
            found.is_none()
        });
        found
    }

    /// An attribute in the object's own dictionary or values, not in its type.
    pub fn attribute(&self, o: Object, name: &[u8]) -> Option<Object> {
        let kind = self.type_of(o);
        if let Some(view) = self.instance_values(o, kind) {
            let mut found = None;
            view.each(&mut |key, value| {
                if self.is_text(key, name) {
                    found = Some(value);
                }
                found.is_none()
            });
            return found;
        }
        self.dict_item(self.instance_dict(o, kind)?, name)
    }

    /// The values of an instance that has no dictionary yet.
    pub(crate) fn instance_values(&self, o: Object, kind: Type) -> Option<DictView> {
        let values = match self.layout.values {
            Values::Before if kind.has(flags::MANAGED_DICT) => memory::word(o.0 - 32, 0),
            Values::Tagged if kind.has(flags::MANAGED_DICT) => {
                let tagged = memory::word(o.0 - 24, 0);
                if tagged & 1 == 0 {
                    return None;
                }
                tagged + 1
            }
            Values::Behind if kind.has(flags::INLINE_VALUES) && memory::word(o.0 - 24, 0) == 0 => {
                let values = o.0 + memory::word(kind.0, types::BASIC_SIZE);
                if memory::byte(values, 3) == 0 {
                    return None;
                }
                values
            }
            _ => return None,
        };
        if values == 0 {
            return None;
        }
        let table = KeyTable::of(self, memory::word(kind.0, self.layout.cached_keys))?;
        Some(DictView { table, values: self.first_value(values) })
    }

    /// The dictionary of an instance, if it has been made.
    pub(crate) fn instance_dict(&self, o: Object, kind: Type) -> Option<Object> {
        let at = if kind.has(flags::MANAGED_DICT) && self.layout.values != Values::None {
            o.0 - 24
        } else {
            let offset = memory::word(kind.0, types::DICT_OFFSET).cast_signed();
            if offset <= 0 {
                return None;
            }
            o.0 + offset.cast_unsigned()
        };
        let dict = memory::word(at, 0);
        (memory::usable(dict)).then_some(Object(dict))
    }
}
