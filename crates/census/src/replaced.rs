//! What is of one piece and becomes longer only by being replaced with a longer one: numpy's arrays, TensorFlow's eager tensors,
//! pandas' tables, text and bytes.
//!
//! In: the modules that are loaded, then objects. Out: the bytes that such a piece keeps. What must not happen here: Python code, or
//! a walk that leaves a table for the rest of the heap; tables and tensors are dear to read, so that a scan reads few of them.

use std::cell::Cell;
use std::collections::HashSet;

use crate::layout::{SIZE, flags};
use crate::memory;
use crate::object::{Object, Python, Type};
use crate::sizes::{array_bytes, tensor};

/// Parts of one table that are looked at: its blocks, its index, its columns' names.
const MOST_PARTS: usize = 120;
/// Shorter texts are names and documentation.
const LONG_TEXT: u64 = 16 << 10;
/// Tensors and tables that one scan reads.
const MOST_READ: u32 = 256;

/// The types of such pieces; 0 where the library is not loaded.
#[derive(Debug, Default)]
pub(crate) struct Replaced {
    array: u64,
    tensor: u64,
    table: u64,
    column: u64,
    read: Cell<u32>,
}

impl Replaced {
    /// A module of `sys.modules`: it may be where one of the types is.
    pub(crate) fn see_module(&mut self, python: &Python, name: Object, namespace: Object) {
        let class = |name: &[u8]| python.dict_item(namespace, name).map_or(0, Object::address);
        if python.is_text(name, b"numpy") {
            self.array = class(b"ndarray");
        } else if python.is_text(name, b"pandas") {
            (self.table, self.column) = (class(b"DataFrame"), class(b"Series"));
        } else if python.is_text(name, b"tensorflow.python.framework.ops") {
            self.tensor = class(b"EagerTensor");
        }
    }

    /// The bytes that go when it is replaced; `None`: it is none of these.
    pub(crate) fn bytes(&self, python: &Python, o: Object, kind: Type) -> Option<u64> {
        if kind.0 == 0 {
            return None;
        }
        if kind.0 == self.array {
            return Some(array_bytes(o));
        }
        if kind.0 == python.known.text || kind.0 == python.known.bytes {
            return (memory::word(o.0, SIZE) >= LONG_TEXT).then(|| python.size(o, kind));
        }
        if ![self.tensor, self.table, self.column].contains(&kind.0) || self.read.get() >= MOST_READ {
            return None;
        }
        self.read.set(self.read.get() + 1);
        let mut bytes = 0;
        if kind.0 == self.tensor {
            tensor(o, &mut |buffer| bytes += buffer.bytes);
        } else {
            bytes = self.of_table(python, o);
        }
        Some(bytes)
    }

    /// Arrays below a table, through pandas' own objects and what they are put together with.
    fn of_table(&self, python: &Python, table: Object) -> u64 {
        let known = &python.known;
        let (mut seen, mut bytes) = (HashSet::from([table.0]), 0);
        let mut parts = vec![table];
        while let Some(part) = parts.pop() {
            python.traverse_while(part, &mut |child| {
                if !memory::usable(child.0) || seen.len() >= MOST_PARTS || !seen.insert(child.0) {
                    return seen.len() < MOST_PARTS;
                }
                let kind = python.type_of(child);
                if kind.0 == self.array {
                    bytes += array_bytes(child);
                } else if [known.tuple, known.dict, known.list].contains(&kind.0)
                    || !kind.has(flags::TYPE) && python.type_name(kind).starts_with("pandas.")
                {
                    parts.push(child);
                }
                true
            });
        }
        bytes
    }
}
