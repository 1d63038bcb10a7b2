//! What kind of program a file is: the few fields of its ELF header that decide whether a library can be put into it.
//!
//! In: a path. Out: [`Kind`]. Reads the header and the program headers, nothing else, and never more than a page of them.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// A file that can be executed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A program or a library.
    Elf(Elf),
    /// Text for another program (`#!`).
    Script,
    /// Neither.
    Other,
}

/// A program or a library.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Elf {
    /// Word size, byte order and processor; two files with the same can live in one process.
    pub(crate) machine: [u8; 4],
    /// The loader that a program asks for; `None` for a library, and for a program that is linked statically.
    pub(crate) loader: Option<Vec<u8>>,
}

/// Program headers read at most, and the longest path of a loader.
const MAX_HEADERS: u64 = 64;
const MAX_LOADER_BYTES: usize = 4096;
const PT_INTERP: u64 = 3;

/// Looks at a file; symbolic links are followed.
///
/// # Errors
/// It cannot be read.
pub(crate) fn look(path: &Path) -> io::Result<Kind> {
    let file = File::open(path)?;
    let mut head = [0; 64];
    let read = file.read_at(&mut head, 0)?;
    if head.starts_with(b"#!") {
        return Ok(Kind::Script);
    }
    Ok(elf(&file, head.get(..read).unwrap_or_default()).map_or(Kind::Other, Kind::Elf))
}

fn elf(file: &File, head: &[u8]) -> Option<Elf> {
    let wide = match head.strip_prefix(b"\x7fELF")?.first()? {
        1 => false,
        2 => true,
        _ => return None,
    };
    let little = *head.get(5)? == 1;
    let number = |bytes: &[u8], at: usize, width: usize| -> Option<u64> {
        let bytes = bytes.get(at..at.checked_add(width)?)?;
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Some(if little { bytes.iter().rev().fold(0, add) } else { bytes.iter().fold(0, add) })
    };
    let machine = [*head.get(4)?, *head.get(5)?, *head.get(18)?, *head.get(19)?];
    let (offset, size, count) = if wide {
        (number(head, 32, 8)?, number(head, 54, 2)?, number(head, 56, 2)?)
    } else {
        (number(head, 28, 4)?, number(head, 42, 2)?, number(head, 44, 2)?)
    };
    for index in 0..count.min(MAX_HEADERS) {
        let mut header = [0; 56];
        let header = header.get_mut(..usize::try_from(size).ok()?)?;
        file.read_exact_at(header, offset.checked_add(index * size)?).ok()?;
        if number(header, 0, 4)? != PT_INTERP {
            continue;
        }
        let (at, length) = if wide {
            (number(header, 8, 8)?, number(header, 32, 8)?)
        } else {
            (number(header, 4, 4)?, number(header, 16, 4)?)
        };
        let mut loader = vec![0; usize::try_from(length).ok()?.min(MAX_LOADER_BYTES)];
        file.read_exact_at(&mut loader, at).ok()?;
        while loader.pop_if(|byte| *byte == 0).is_some() {}
        return Some(Elf { machine, loader: Some(loader) });
    }
    Some(Elf { machine, loader: None })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> Kind {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        std::fs::write(&path, bytes).unwrap();
        look(&path).unwrap()
    }

    #[test]
    fn this_very_program_is_known() {
        let Kind::Elf(own) = look(&std::env::current_exe().unwrap()).unwrap() else { panic!("not ELF") };
        assert!(own.loader.unwrap().starts_with(b"/lib"));
        assert_eq!(own.machine[0], 2);
    }

    /// A 32-bit file of another byte order, by hand.
    #[test]
    fn the_other_word_size_and_byte_order() {
        let mut bytes = vec![0; 52];
        bytes[..7].copy_from_slice(b"\x7fELF\x01\x02\x01");
        bytes[19] = 8;
        bytes[31] = 52; // where the program headers are
        bytes[43] = 32; // the size of one
        bytes[45] = 1; // how many
        let mut header = vec![0; 32];
        header[3] = 3;
        header[7] = 84;
        header[19] = 9;
        let whole = [bytes.clone(), header, b"/ld-musl\0".to_vec()].concat();
        let expected = Elf { machine: [1, 2, 0, 8], loader: Some(b"/ld-musl".to_vec()) };
        assert_eq!(of(&whole), Kind::Elf(expected));
        bytes[45] = 0;
        assert_eq!(of(&bytes), Kind::Elf(Elf { machine: [1, 2, 0, 8], loader: None }));
    }

    #[test]
    fn what_is_no_program_is_said_to_be_none() {
        assert_eq!(of(b"#!/bin/sh\n"), Kind::Script);
        for bytes in
            [&b""[..], b"text", b"\x7fELF", b"\x7fELF\x02\x01\x01", b"\x7fELF\x09aaaaaaaaaaaaaaaaaaaaaaaaaaa"]
        {
            assert_eq!(of(bytes), Kind::Other);
        }
        let mut torn = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        torn.truncate(70);
        assert_eq!(of(&torn), Kind::Other);
    }
}
