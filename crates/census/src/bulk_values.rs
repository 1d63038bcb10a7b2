//! Bulk values: single objects with many bytes. Numpy arrays, a framework's tensors and tables, text and bytes
//! grow by replacement with a longer one. Buffers and files in memory grow in place.
//!
//! In: the loaded modules, then objects. Out: the bytes of a bulk value. What must not happen here: Python
//! code, or a walk from a table into the rest of the heap. Tables and tensors are slow to read, so a scan
//! reads few of them.

use std::cell::Cell;
use std::collections::HashSet;

use crate::layout::{SIZE, flags};
use crate::memory;
use crate::object::{Object, Python, Type};
use crate::pack::BulkBytes;
use crate::sizes::{array_bytes, bytes_io_bytes, numbers_bytes, text_io_bytes};

/// Parts of one table that are read: its blocks, its index, its column names.
const MAX_TABLE_PARTS: usize = 120;
/// Shorter texts are names and documentation; shorter buffers serve reading and writing.
const MIN_TEXT_OR_BUFFER_BYTES: u64 = 16 << 10;
/// Tensors and tables that one scan reads.
const MAX_BULK_READS: u32 = 256;

/// The types of bulk values; 0 where the library is not loaded.
#[derive(Debug, Default)]
pub(crate) struct BulkTypes {
    array: u64,
    /// `array.array`.
    numbers: u64,
    bytes_io: u64,
    text_io: u64,
    /// Those of frameworks.
    others: Vec<(u64, BulkBytes)>,
    read: Cell<u32>,
}

impl BulkTypes {
    /// Takes in a module of `sys.modules`, which may define one of the types.
    pub(crate) fn observe_module(&mut self, python: &Python, name: Object, namespace: Object) {
        let class = |name: &[u8]| python.dict_item(namespace, name).map_or(0, Object::address);
        if python.is_text(name, b"numpy") {
            self.array = class(b"ndarray");
        } else if python.is_text(name, b"array") {
            self.numbers = class(b"array");
        } else if python.is_text(name, b"_io") {
            (self.bytes_io, self.text_io) = (class(b"BytesIO"), class(b"StringIO"));
        } else {
            for bulk in python.bulk.iter().filter(|bulk| python.is_text(name, bulk.module.as_bytes())) {
                self.others.extend(bulk.classes.iter().map(|name| (class(name.as_bytes()), bulk.bytes)));
            }
        }
    }

    /// The bytes that are freed when it is replaced or emptied; `None`: it is no bulk value.
    pub(crate) fn bytes(&self, python: &Python, o: Object, kind: Type) -> Option<u64> {
        if kind.0 == 0 {
            return None;
        }
        if kind.0 == self.array {
            return Some(array_bytes(o));
        }
        if kind.0 == python.known.text || kind.0 == python.known.bytes {
            return (memory::word(o.0, SIZE) >= MIN_TEXT_OR_BUFFER_BYTES).then(|| python.size(o, kind));
        }
        if let Some(bytes) = self.of_buffer(python, o, kind) {
            return (bytes >= MIN_TEXT_OR_BUFFER_BYTES).then_some(bytes);
        }
        let (_, bytes) = self.others.iter().find(|(class, _)| *class == kind.0)?;
        if self.read.get() >= MAX_BULK_READS {
            return None;
        }
        self.read.set(self.read.get() + 1);
        Some(match bytes {
            BulkBytes::Own(bytes) => bytes(o),
            BulkBytes::ArraysBelow(parts) => self.of_table(python, o, parts),
        })
    }

    /// The bytes in a buffer or file in memory. Spare capacity does not count, because it grows in leaps.
    fn of_buffer(&self, python: &Python, o: Object, kind: Type) -> Option<u64> {
        match kind.0 {
            kind if kind == python.known.bytearray => Some(memory::word(o.0, SIZE)),
            kind if kind == self.numbers => Some(numbers_bytes(o)),
            kind if kind == self.bytes_io => Some(bytes_io_bytes(o)),
            kind if kind == self.text_io => Some(text_io_bytes(o)),
            _ => None,
        }
    }

    /// Bytes of the arrays below a table, through objects of these types and builtin containers.
    fn of_table(&self, python: &Python, table: Object, types: &str) -> u64 {
        let known = &python.known;
        let (mut seen, mut bytes) = (HashSet::from([table.0]), 0);
        let mut parts = vec![table];
        while let Some(part) = parts.pop() {
            python.traverse_while(part, &mut |child| {
                if !memory::usable(child.0) || seen.len() >= MAX_TABLE_PARTS || !seen.insert(child.0) {
                    return seen.len() < MAX_TABLE_PARTS;
                }
                let kind = python.type_of(child);
                if kind.0 == self.array {
                    bytes += array_bytes(child);
                } else if [known.tuple, known.dict, known.list].contains(&kind.0)
                    || !kind.has(flags::TYPE) && python.type_name(kind).starts_with(types)
                {
                    parts.push(child);
                }
                true
            });
        }
        bytes
    }
}
