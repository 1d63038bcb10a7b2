//! Naming frames from arbitrary bytes: no panic, names of bounded length, one answer for each address.
//!
//! The first byte says how the rest is read: as an object, as the tables of a sound object, or as names.
//! `cargo +nightly fuzz run name_frames`
#![no_main]

use libfuzzer_sys::fuzz_target;
use nilometer_symbols::{Symbol, names_in, part};

/// A sound object around a symbol table and its strings.
fn object(table: &[u8], strings: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; 64 + 3 * 64];
    bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
    bytes[40..48].copy_from_slice(&64_u64.to_le_bytes());
    bytes[58..60].copy_from_slice(&64_u16.to_le_bytes());
    bytes[60..62].copy_from_slice(&3_u16.to_le_bytes());
    let start = bytes.len() as u64;
    for (section, kind, offset, size) in
        [(1, 2_u32, start, table.len()), (2, 3, start + table.len() as u64, strings.len())]
    {
        let at = 64 + section * 64;
        bytes[at + 4..at + 8].copy_from_slice(&kind.to_le_bytes());
        bytes[at + 24..at + 32].copy_from_slice(&offset.to_le_bytes());
        bytes[at + 32..at + 40].copy_from_slice(&(size as u64).to_le_bytes());
        bytes[at + 40..at + 44].copy_from_slice(&2_u32.to_le_bytes());
    }
    bytes.extend(table);
    bytes.extend(strings);
    bytes
}

fn check(symbol: &Symbol) {
    assert!(symbol.name.len() < 17 * 1024);
    assert!(symbol.short.chars().count() <= 80);
    part::part(&[(&symbol.name, "libtensorflow_cc.so.2")], nilometer_frameworks::SYMBOLS);
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&kind, rest)) = bytes.split_first() else { return };
    let mut addresses: Vec<u64> = (0..0x4000).step_by(97).collect();
    addresses
        .extend(rest.chunks_exact(8).take(64).map(|chunk| u64::from_le_bytes(chunk.try_into().unwrap())));
    let object = match kind % 3 {
        0 => rest.to_vec(),
        1 => {
            let (table, strings) = rest.split_at(rest.len() / 2 / 24 * 24);
            object(table, strings)
        }
        _ => {
            // One function everywhere, with the rest as its name.
            let mut table = [0; 24];
            table[0] = 1;
            table[4] = 0x12;
            table[6] = 1;
            table[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
            let name: Vec<u8> = rest.iter().copied().filter(|byte| *byte != 0).collect();
            object(&table, &[b"\0", name.as_slice(), b"\0"].concat())
        }
    };
    if let Ok(names) = names_in(&object, &addresses) {
        assert_eq!(names.len(), addresses.len());
        names.iter().flatten().for_each(check);
    }
    if let Ok(name) = std::str::from_utf8(rest) {
        part::part(&[(name, name)], nilometer_frameworks::SYMBOLS);
    }
});
