//! Attributes of instances: in a dict, without a dict, and in slots.
//!
//! In: a live instance and a child. Out: the attribute's name. What must not happen here: a lookup of
//! `__dict__`, which makes one in 3.11 and 3.12 and changes the heap. So values are read in place, with the
//! names that the class shares.

use super::HeapView;
use super::kinds::Kind;
use super::offsets::{MODULE_DICT, TYPE_MEMBERS, function};
use super::text::name_at;
use crate::layout::{Keys, SIZE, TYPE, Values, flags, types};
use crate::memory::{byte, int, word};

/// Instances share at most 30 keys.
const MAX_SHARED_KEYS: u64 = 64;
/// `type` of a member descriptor for an object.
const OBJECT: i32 = 6;
const OBJECT_OR_ERROR: i32 = 16;

impl HeapView<'_> {
    /// The dict of an object's attributes if it exists already, else 0.
    pub(crate) fn own_dict(&self, object: u64) -> u64 {
        let class = word(object, TYPE);
        match self.kinds.of_type(class) {
            Kind::Module => return word(object, MODULE_DICT),
            Kind::Function => return word(object, function::DICT),
            Kind::Type => return self.class_dict(object),
            _ => {}
        }
        if word(class, types::FLAGS) & flags::MANAGED_DICT != 0 && self.python.layout.values != Values::None {
            let before = word(object.wrapping_sub(24), 0);
            // 3.12: the lowest bit means that values stand there instead.
            return if before & 1 == 1 { 0 } else { before };
        }
        let offset = word(class, types::DICT_OFFSET).cast_signed();
        match offset {
            0 => 0,
            // From 3.12 on an int has more than a length in its length field.
            ..0 if self.kinds.of_type(class) == Kind::Integer => 0,
            1.. => word(object, offset.cast_unsigned()),
            // Counted from the end of an object of variable size.
            _ => {
                let items = word(object, SIZE).cast_signed().unsigned_abs();
                let size = word(class, types::BASIC_SIZE)
                    .wrapping_add(items.wrapping_mul(word(class, types::ITEM_SIZE)));
                let rounded = size.wrapping_add(7) & !7;
                // No object has such a size: the class uses the field for something else.
                if items > 1 << 32 { 0 } else { word(object, rounded.wrapping_add_signed(offset)) }
            }
        }
    }

    /// 3.13: the dict of an instance with inline values; 0 if it has none. Early releases do not traverse it.
    pub(crate) fn dict_beside_values(&self, object: u64) -> u64 {
        let class = word(object, TYPE);
        let beside = self.python.layout.values == Values::Behind
            && word(class, types::FLAGS) & flags::INLINE_VALUES != 0;
        if beside { self.own_dict(object) } else { 0 }
    }

    /// Whether traversal shows the dict of this class's instances.
    pub(crate) fn shows_all(&self, class: u64) -> bool {
        self.python.layout.values != Values::Behind || word(class, types::FLAGS) & flags::INLINE_VALUES == 0
    }

    /// The name of an attribute without a dict.
    pub(super) fn inline_value(&self, object: u64, child: u64) -> Option<String> {
        let mut name = None;
        self.inline_values(object, &mut |key, value| {
            if value == child {
                name = self.text(key, 100);
            }
            name.is_none()
        });
        name
    }

    /// Each name and value of the attributes without a dict, until `visit` says false.
    pub(crate) fn inline_values(&self, object: u64, visit: &mut dyn FnMut(u64, u64) -> bool) {
        let class = word(object, TYPE);
        let class_flags = word(class, types::FLAGS);
        if class_flags & flags::MANAGED_DICT == 0 || class_flags & flags::HEAP == 0 {
            return;
        }
        let values = match self.python.layout.values {
            Values::None => return,
            Values::Before => word(object.wrapping_sub(32), 0),
            Values::Tagged => {
                let tagged = word(object.wrapping_sub(24), 0);
                if tagged & 1 == 1 { tagged.wrapping_add(1) } else { 0 }
            }
            Values::Behind if class_flags & flags::INLINE_VALUES == 0 => 0,
            Values::Behind => {
                let values = object.wrapping_add(word(class, types::BASIC_SIZE));
                if byte(values, 3) == 1 { values.wrapping_add(8) } else { 0 }
            }
        };
        let keys = word(class, self.python.layout.cached_keys);
        let index_bytes = byte(keys, Keys::INDEX_BYTES);
        if values == 0 || keys == 0 || index_bytes > 16 {
            return;
        }
        let entries = keys.wrapping_add(self.python.layout.keys.indices).wrapping_add(1 << index_bytes);
        for index in 0..word(keys, self.python.layout.keys.entries).min(MAX_SHARED_KEYS) {
            // 3.13 on: a byte says how many values there are.
            if self.python.layout.values == Values::Behind
                && index >= u64::from(byte(values.wrapping_sub(8), 0))
            {
                return;
            }
            let value = word(values, 8 * (index));
            if value != 0 && !visit(word(entries, 8 * (2 * index)), value) {
                return;
            }
        }
    }

    /// The name of a slot, or of a field that a C class declares.
    pub(super) fn member(&self, object: u64, child: u64) -> Option<String> {
        const MAX_MEMBERS: u64 = 1000;
        const MAX_BASES: u32 = 200;
        let mut class = word(object, TYPE);
        for _ in 0..MAX_BASES {
            if class == 0 {
                break;
            }
            let members = word(class, TYPE_MEMBERS);
            for index in 0..MAX_MEMBERS {
                // name, type, offset, flags, doc
                let member = members.wrapping_add(40 * index);
                let name = word(member, 0);
                if members == 0 || name == 0 {
                    break;
                }
                let is_object = matches!(int(member, 8), OBJECT | OBJECT_OR_ERROR);
                let offset = word(member, 16);
                if is_object
                    && offset < word(word(object, TYPE), types::BASIC_SIZE)
                    && word(object, offset) == child
                {
                    return Some(name_at(name, 100));
                }
            }
            class = word(class, types::BASE);
        }
        None
    }
}
