//! As much of Thrift's compact protocol as Parquet's metadata needs: structs, lists, numbers and strings into bytes.

use crate::protobuf::varint;

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A struct that is being written; fields must come in rising order.
#[derive(Default)]
pub(crate) struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

impl Struct {
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }

    pub(crate) fn i32(&mut self, field: u8, value: i32) -> &mut Self {
        self.field(field, I32);
        zigzag(i64::from(value), &mut self.bytes);
        self
    }

    /// A length as an `i32`, which no column of ours comes near to.
    pub(crate) fn count(&mut self, field: u8, value: usize) -> &mut Self {
        self.i32(field, i32::try_from(value).unwrap_or(i32::MAX))
    }

    pub(crate) fn i64(&mut self, field: u8, value: i64) -> &mut Self {
        self.field(field, I64);
        zigzag(value, &mut self.bytes);
        self
    }

    pub(crate) fn text(&mut self, field: u8, value: &str) -> &mut Self {
        self.field(field, BINARY);
        varint(value.len() as u64, &mut self.bytes);
        self.bytes.extend(value.bytes());
        self
    }

    pub(crate) fn inner(&mut self, field: u8, fill: impl FnOnce(&mut Self)) -> &mut Self {
        self.field(field, STRUCT);
        self.bytes.extend(filled(fill));
        self
    }

    pub(crate) fn structs(&mut self, field: u8, items: &[Vec<u8>]) -> &mut Self {
        self.list(field, STRUCT, items.len());
        self.bytes.extend(items.concat());
        self
    }

    pub(crate) fn i32s(&mut self, field: u8, items: &[i32]) -> &mut Self {
        self.list(field, I32, items.len());
        for item in items {
            zigzag(i64::from(*item), &mut self.bytes);
        }
        self
    }

    pub(crate) fn texts(&mut self, field: u8, items: &[&str]) -> &mut Self {
        self.list(field, BINARY, items.len());
        for item in items {
            varint(item.len() as u64, &mut self.bytes);
            self.bytes.extend(item.bytes());
        }
        self
    }

    fn list(&mut self, field: u8, kind: u8, length: usize) {
        self.field(field, LIST);
        if length < 15 {
            self.bytes.push((length as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            varint(length as u64, &mut self.bytes);
        }
    }

    /// Fields up to fifteen apart have their distance and type in one byte; Parquet has no other.
    fn field(&mut self, field: u8, kind: u8) {
        self.bytes.push((field - self.last) << 4 | kind);
        self.last = field;
    }
}

/// The bytes of a struct.
pub(crate) fn filled(fill: impl FnOnce(&mut Struct)) -> Vec<u8> {
    let mut out = Struct::default();
    fill(&mut out);
    out.into_bytes()
}

fn zigzag(value: i64, out: &mut Vec<u8>) {
    varint((value << 1 ^ value >> 63).cast_unsigned(), out);
}
