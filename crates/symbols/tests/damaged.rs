//! Objects with arbitrary bytes: an answer or a refusal, never a panic.
#![allow(clippy::unwrap_used, reason = "a test that cannot build its object has failed")]

use nilometer_symbols::{Missing, names_in};
use proptest::prelude::*;
use std::process::Command;
use std::sync::OnceLock;

/// A small object with both tables.
fn object() -> &'static [u8] {
    static OBJECT: OnceLock<Vec<u8>> = OnceLock::new();
    OBJECT.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let (source, object) = (folder.path().join("a.cc"), folder.path().join("a.so"));
        std::fs::write(&source, "namespace n { template <class T> T f(T t) { return t; } template int f(int); } int g() { return 1; }").unwrap();
        let flags = ["-shared", "-fPIC", "-nostdlib"];
        assert!(Command::new("c++").args(flags).arg(&source).arg("-o").arg(&object).status().unwrap().success());
        std::fs::read(&object).unwrap()
    })
}

fn everywhere() -> Vec<u64> {
    (0x1000..0x1080).chain((0..0x5000).step_by(61)).chain([u64::MAX, u64::MAX - 1, 1 << 40]).collect()
}

#[test]
fn the_object_is_sound_to_begin_with() {
    let names = names_in(object(), &everywhere()).unwrap();
    assert!(names.iter().flatten().any(|symbol| symbol.name == "int n::f<int>(int)"));
}

#[test]
fn every_truncation_is_borne() {
    for length in 0..object().len().min(2000) {
        let whole = names_in(&object()[..length], &[0x1000]);
        assert!(whole.is_err(), "the section headers stand at the end");
    }
    assert_eq!(names_in(&[], &[1]), Err(Missing::Damaged));
}

#[test]
fn symbols_that_all_claim_everything_are_refused() {
    // Ten thousand symbols over ten thousand addresses each.
    let mut bytes = vec![0; 64];
    bytes.splice(..6, *b"\x7fELF\x02\x01");
    let count = 10_000_u64;
    let (table, strings) = (64 + 3 * 64, 64 + 3 * 64 + count * 24);
    let mut set = |at: usize, value: &[u8]| {
        bytes.resize(bytes.len().max(at + value.len()), 0);
        bytes.splice(at..at + value.len(), value.iter().copied());
    };
    set(40, &64_u64.to_le_bytes());
    set(58, &64_u16.to_le_bytes());
    set(60, &3_u16.to_le_bytes());
    for (section, kind, offset, size) in [(1, 2_u32, table, count * 24), (2, 3, strings, 8)] {
        let at = 64 + section * 64;
        set(at + 4, &kind.to_le_bytes());
        set(at + 24, &offset.to_le_bytes());
        set(at + 32, &size.to_le_bytes());
        set(at + 40, &2_u32.to_le_bytes());
    }
    for symbol in 0..count {
        let at = (table + symbol * 24) as usize;
        set(at, &[1, 0, 0, 0, 0x12, 0, 1, 0]);
        set(at + 16, &u64::MAX.to_le_bytes());
    }
    set(strings as usize, b"\0name\0\0\0");
    let addresses: Vec<u64> = (0..10_000).collect();
    assert_eq!(names_in(&bytes, &addresses), Err(Missing::Damaged));
    let few = names_in(&bytes, &[7]).unwrap();
    assert_eq!(few.first().unwrap().as_ref().unwrap().name, "name");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn changed_bytes_are_borne(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40)) {
        let mut bytes = object().to_vec();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(names) = names_in(&bytes, &everywhere()) {
            prop_assert_eq!(names.len(), everywhere().len());
        }
    }

    #[test]
    fn changed_headers_are_borne(changes in prop::collection::vec((0_usize..64, any::<u8>()), 1..6), sections in prop::collection::vec((any::<prop::sample::Index>(), any::<u64>()), 0..6)) {
        let mut bytes = object().to_vec();
        let first = usize::try_from(u64::from_le_bytes(bytes[40..48].try_into().unwrap())).unwrap();
        for (at, value) in sections {
            let at = first + at.index((bytes.len() - first) / 8 - 1) * 8;
            bytes.splice(at..at + 8, value.to_le_bytes());
        }
        for (at, value) in changes.into_iter().skip(1) {
            bytes[at] = value;
        }
        drop(names_in(&bytes, &everywhere()));
    }
}
