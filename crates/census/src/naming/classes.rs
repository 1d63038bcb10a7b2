//! Classes: their names, their modules, their parts.
//!
//! In: live types. Out: names as their source writes them. What must not happen here: an attribute lookup of
//! `__name__` or `__module__`, which a metaclass may answer.

use super::kinds::Kind;
use super::text::name_at;
use super::{HeapView, Label};
use crate::layout::{SIZE, TYPE, flags, types};
use crate::memory::word;
use crate::object::Object;

/// `ht_qualname` of a type made at run time: in 3.10 and 3.11, and from 3.12 on.
const QUALIFIED_NAME: u64 = 864;
const QUALIFIED_NAME_OF_12: u64 = 872;

impl HeapView<'_> {
    /// The dict of a class; 0 if there is none.
    pub(crate) fn class_dict(&self, class: u64) -> u64 {
        match word(class, types::DICT) {
            0 => self.api.type_dict(class),
            dict => dict,
        }
    }

    /// Whether a class was made at run time, by a `class` statement or an extension.
    pub(crate) fn is_heap_type(&self, class: u64) -> bool {
        word(class, types::FLAGS) & flags::HEAP != 0
    }

    /// A class's name without its module: `Outer.Inner`.
    pub(crate) fn type_name(&self, class: u64) -> String {
        const MAX_TYPE_NAME_CHARS: u64 = 200;
        if self.is_heap_type(class) {
            let at = if self.offsets.version < (3, 12) { QUALIFIED_NAME } else { QUALIFIED_NAME_OF_12 };
            if let Some(name) =
                self.text(word(class, at), MAX_TYPE_NAME_CHARS as usize).filter(|name| !name.is_empty())
            {
                return name.rsplit_once("<locals>.").map_or(name.clone(), |(_, local)| local.to_owned());
            }
        }
        let name = name_at(word(class, types::NAME), MAX_TYPE_NAME_CHARS);
        name.rsplit_once('.').map_or(name.clone(), |(_, last)| last.to_owned())
    }

    /// The class and its bases, in the order of `__mro__`.
    pub(crate) fn bases(&self, class: u64) -> impl Iterator<Item = u64> {
        const MAX_MRO_CLASSES: u64 = 64;
        let order = word(class, types::MRO);
        let count = if order == 0 { 0 } else { word(order, SIZE).min(MAX_MRO_CLASSES) };
        let items = order + self.python.layout.tuple_items;
        (0..count).map(move |index| word(items, 8 * index))
    }

    /// The name of a class's module; empty if unknown.
    pub(crate) fn module_of_class(&self, class: u64) -> String {
        const MAX_MODULE_NAME_CHARS: u64 = 300;
        if !self.is_heap_type(class) {
            let name = name_at(word(class, types::NAME), MAX_MODULE_NAME_CHARS);
            return name.rsplit_once('.').map_or(String::new(), |(module, _)| module.to_owned());
        }
        self.text(self.value(self.class_dict(class), "__module__"), MAX_MODULE_NAME_CHARS as usize)
            .unwrap_or_default()
    }

    pub(super) fn of_class(&self, class: u64, child: u64) -> Option<Label> {
        if self.class_dict(class) == child {
            return Some(Label::OwnDict);
        }
        let named = [(types::MRO, "__mro__"), (types::BASES, "__bases__"), (types::BASE, "__base__")];
        named
            .iter()
            .find(|(offset, _)| word(class, *offset) == child)
            .map(|(_, name)| Label::Attribute((*name).to_owned()))
    }

    /// Children of a class that its traversal does not show: subclasses and, from 3.12 on, the dict of a
    /// static type.
    pub(crate) fn class_children(&self, class: u64, visit: &mut dyn FnMut(u64)) {
        if self.is_heap_type(class) {
            let subclasses = word(class, types::SUBCLASSES);
            if subclasses != 0 && self.kinds.of(subclasses) == Kind::Dict {
                visit(subclasses);
            }
        } else if word(class, types::DICT) == 0 {
            let dict = self.api.type_dict(class);
            if dict != 0 {
                visit(dict);
            }
        }
    }

    /// Whether an object is a value without children: an array, a tensor, a number, a text.
    pub(crate) fn is_value(&self, object: u64) -> bool {
        if !self.python.is_gc(Object(object)) {
            return true;
        }
        let name = self.type_name(word(object, TYPE));
        self.python.packs.iter().any(|pack| pack.values.contains(&name.as_str()))
    }
}
