//! pandas' hash tables, which an index makes on its first search. The rest of pandas is numpy and Arrow
//! arrays, and objects that show their parts.
//!
//! In: a `HashTable` or a subclass. Out: its keys, values and flags. What must not happen here: trust in a
//! structure by its offset alone. It is a C structure, read through the kernel, and trusted only if its
//! counts agree.

use nilometer_census::{Buffer, Object, Reader, Sizes, peek, usable, word};

/// The base of all such tables.
pub(super) const HASH_TABLE: &str = "pandas._libs.hashtable.HashTable";
/// Percentage of taken slots at which a table grows.
const MAX_LOAD_PERCENT: u64 = 77;

/// A hash table.
#[derive(Debug)]
pub(super) struct HashTable;

impl Reader for HashTable {
    /// The keys, values and flags.
    fn buffers(&self, sizes: &Sizes<'_>, o: Object, visit: &mut dyn FnMut(Buffer)) {
        for index in 2..o.basic_size().min(128) / 8 {
            let Some(words) = peek(word(o.address(), 8 * index)) else { continue };
            let Some((slots, arrays)) = table(words) else { continue };
            let name = sizes.python().type_of(o).raw_name();
            let sizes = [slots / 8, slots * width(&name), slots * 8];
            for (address, bytes) in arrays.into_iter().zip(sizes) {
                visit(Buffer { address, bytes, owner: true });
            }
            return;
        }
    }
}

/// Slots of a table, and the addresses of its flags, keys and values: four counts of 32 bits, three
/// addresses.
fn table(words: [u64; 5]) -> Option<(u64, [u64; 3])> {
    let [first, second, marks, keys, places] = words;
    let (slots, used) = (first & 0xffff_ffff, first >> 32);
    let (taken, limit) = (second & 0xffff_ffff, second >> 32);
    let sound = slots.is_power_of_two() && slots >= 4 && used <= taken && taken <= limit;
    let agrees = limit.abs_diff(slots * MAX_LOAD_PERCENT / 100) <= 1;
    let arrays = [marks, keys, places];
    (sound && agrees && arrays.iter().all(|address| usable(*address))).then_some((slots, arrays))
}

/// Bytes of a key, by the name of the table's type.
fn width(name: &[u8]) -> u64 {
    let short = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    match short.strip_suffix(b"HashTable").unwrap_or_default() {
        b"Int8" | b"UInt8" => 1,
        b"Int16" | b"UInt16" => 2,
        b"Int32" | b"UInt32" | b"Float32" => 4,
        b"Complex128" => 16,
        _ => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_what_is_none() {
        let counts =
            |slots: u64, used: u64, taken: u64, limit: u64| [slots | used << 32, taken | limit << 32];
        let words = |[first, second]: [u64; 2]| [first, second, 0x5555_0000, 0x5555_1000, 0x5555_2000];
        assert_eq!(table(words(counts(32_768, 20_000, 20_000, 25_231))).map(|found| found.0), Some(32_768));
        assert_eq!(table(words(counts(32_767, 20_000, 20_000, 25_231))), None);
        assert_eq!(table(words(counts(32_768, 20_001, 20_000, 25_231))), None);
        assert_eq!(table(words(counts(32_768, 20_000, 20_000, 26_000))), None);
        assert_eq!(table([0; 5]), None);
        assert_eq!(width(b"pandas._libs.hashtable.UInt16HashTable"), 2);
        assert_eq!(width(b"pandas._libs.hashtable.PyObjectHashTable"), 8);
    }
}
