//! Columns into a Parquet file: one row group, no compression, texts by dictionary.
//!
//! In: columns of equal length, any value of which may be missing. Out: the bytes of a file. Numbers of fields and
//! encodings are those of the published format.

use std::collections::HashMap;

use crate::protobuf::{varint, whole};
use crate::thrift::filled;

const MAGIC: &[u8; 4] = b"PAR1";
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const RLE_DICTIONARY: i32 = 8;

/// Values of one kind.
pub(crate) enum Values {
    Whole(Vec<Option<i64>>),
    Real(Vec<Option<f64>>),
    Text(Vec<Option<String>>),
}

/// A column and its name.
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) values: Values,
}

impl Column {
    /// Its type as Parquet numbers it.
    fn kind(&self) -> i32 {
        match self.values {
            Values::Whole(_) => 2,
            Values::Real(_) => 5,
            Values::Text(_) => 6,
        }
    }
}

/// A file.
pub(crate) fn parquet_file(columns: &[Column], rows: usize, metadata: &[(&str, String)]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    let mut chunks = Vec::new();
    let begin = out.len();
    for column in columns {
        chunks.push(chunk(column, rows, &mut out));
    }
    let bytes = whole(out.len() - begin);
    let mut schema = vec![filled(|s| {
        s.text(4, "nilometer").count(5, columns.len());
    })];
    schema.extend(columns.iter().map(|column| {
        filled(|s| {
            s.i32(1, column.kind()).i32(3, 1).text(4, column.name);
            if matches!(column.values, Values::Text(_)) {
                s.i32(6, 0); // UTF-8
            }
        })
    }));
    let group = filled(|s| {
        s.structs(1, &chunks).i64(2, bytes).i64(3, whole(rows));
    });
    let pair = |(key, value): &(&str, String)| {
        filled(|s| {
            s.text(1, key).text(2, value);
        })
    };
    let pairs: Vec<Vec<u8>> = metadata.iter().map(pair).collect();
    let footer = filled(|s| {
        s.i32(1, 1).structs(2, &schema).i64(3, whole(rows)).structs(4, &[group]).structs(5, &pairs);
        s.text(6, concat!("nilometer version ", env!("CARGO_PKG_VERSION")));
    });
    out.extend(&footer);
    out.extend((footer.len() as u32).to_le_bytes());
    out.extend(MAGIC);
    out
}

/// Writes a column's pages; gives back its metadata.
fn chunk(column: &Column, rows: usize, out: &mut Vec<u8>) -> Vec<u8> {
    let begin = out.len();
    let mut encodings = vec![RLE];
    let mut dictionary_at = None;
    let (levels, body, encoding) = match &column.values {
        Values::Whole(values) => (levels(values), plain(values, i64::to_le_bytes), PLAIN),
        Values::Real(values) => (levels(values), plain(values, f64::to_le_bytes), PLAIN),
        Values::Text(values) => {
            let (dictionary, words, indices) = by_dictionary(values);
            dictionary_at = Some(out.len());
            page(out, 2, &dictionary, |s| {
                s.inner(7, |s| {
                    s.count(1, words).i32(2, PLAIN);
                });
            });
            encodings.push(PLAIN);
            (levels(values), indices, RLE_DICTIONARY)
        }
    };
    encodings.push(encoding);
    let data_at = out.len();
    page(out, 0, &[levels, body].concat(), |s| {
        s.inner(5, |s| {
            s.count(1, rows).i32(2, encoding).i32(3, RLE).i32(4, RLE);
        });
    });
    let bytes = whole(out.len() - begin);
    filled(|s| {
        s.i64(2, whole(begin)).inner(3, |s| {
            s.i32(1, column.kind()).i32s(2, &encodings).texts(3, &[column.name]).i32(4, 0);
            s.i64(5, whole(rows)).i64(6, bytes).i64(7, bytes).i64(9, whole(data_at));
            if let Some(at) = dictionary_at {
                s.i64(11, whole(at));
            }
        });
    })
}

fn page(out: &mut Vec<u8>, kind: i32, body: &[u8], header: impl FnOnce(&mut crate::thrift::Struct)) {
    out.extend(filled(|s| {
        s.i32(1, kind).count(2, body.len()).count(3, body.len());
        header(s);
    }));
    out.extend(body);
}

fn plain<T: Copy, const N: usize>(values: &[Option<T>], bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flatten().flat_map(|value| bytes(*value)).collect()
}

/// Which values are there: runs of ones and zeros, with their length in front.
fn levels<T>(values: &[Option<T>]) -> Vec<u8> {
    let runs = runs(values.iter().map(|value| u64::from(value.is_some())), 1);
    let mut out = (runs.len() as u32).to_le_bytes().to_vec();
    out.extend(runs);
    out
}

/// Each word once, how many there are, and which of them each value is.
fn by_dictionary(values: &[Option<String>]) -> (Vec<u8>, usize, Vec<u8>) {
    let mut known: HashMap<&str, u64> = HashMap::new();
    let mut words = Vec::new();
    let mut indices = Vec::new();
    for value in values.iter().flatten() {
        let next = known.len() as u64;
        let index = *known.entry(value).or_insert(next);
        if index == next {
            words.extend((value.len() as u32).to_le_bytes());
            words.extend(value.bytes());
        }
        indices.push(index);
    }
    let bits = 64 - (known.len() as u64).leading_zeros().min(63);
    let mut out = vec![bits as u8];
    out.extend(runs(indices.into_iter(), bits.div_ceil(8) as usize));
    (words, known.len(), out)
}

/// Runs of equal values: twice the length, then the value in whole bytes.
fn runs(values: impl Iterator<Item = u64>, bytes: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut values = values.peekable();
    while let Some(value) = values.next() {
        let mut length = 1_u64;
        while values.next_if_eq(&value).is_some() {
            length += 1;
        }
        varint(length << 1, &mut out);
        out.extend(value.to_le_bytes().iter().take(bytes));
    }
    out
}
