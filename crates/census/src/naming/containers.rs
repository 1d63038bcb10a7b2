//! Keys and indexes: a child's place in a dict, list or tuple.
//!
//! In: a live container and a child. Out: a [`Label`]. What must not happen here: a lookup by key, which
//! would hash and compare with the user's code. The tables are read from end to end.

use super::kinds::Kind;
use super::text::is_identifier;
use super::{HeapView, Label};
use crate::layout::{SIZE, list};
use crate::memory::word;

impl HeapView<'_> {
    /// The key of a value in a dict; or that the child is itself a key.
    pub(super) fn item(&self, dict: u64, child: u64) -> Option<Label> {
        let mut label = None;
        self.items(dict, &mut |key, value| {
            if value == child {
                label = Some(self.item_of_key(key));
            } else if key == child {
                label = Some(Label::Key);
            }
            label.is_none()
        });
        label
    }

    /// The label of the value under a key.
    pub(crate) fn item_of_key(&self, key: u64) -> Label {
        const MAX_KEY_CHARS: usize = 100;
        let name = self.text(key, MAX_KEY_CHARS).filter(|text| is_identifier(text));
        Label::Item { text: self.short(key), name }
    }

    /// A child's index in a list or tuple.
    pub(super) fn index(&self, parent: u64, child: u64, kind: Kind) -> Option<Label> {
        (0..self.length_of(parent)).find(|index| self.at(parent, *index, kind) == child).map(Label::Index)
    }

    /// `ob_size` of a list or tuple.
    pub(crate) fn length_of(&self, parent: u64) -> u64 {
        if word(parent, SIZE).cast_signed() < 0 { 0 } else { word(parent, SIZE) }
    }

    /// The item at an index of a list or tuple.
    pub(crate) fn at(&self, parent: u64, index: u64, kind: Kind) -> u64 {
        match kind {
            _ if index >= self.length_of(parent) => 0,
            Kind::List => word(word(parent, list::ITEMS), 8 * (index)),
            Kind::Tuple => word(parent, self.python.layout.tuple_items + 8 * index),
            _ => 0,
        }
    }
}
