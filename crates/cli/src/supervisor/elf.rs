//! What kind of program a file is: the few fields of its ELF header that decide whether a library can be put into it.
//!
//! In: a path. Out: [`Kind`]. Reads the header and the program headers, nothing else, and never more than a page of them.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use object::elf::{FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader as _};
use object::{Endianness, FileKind, ReadCache};

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
const MAX_HEADERS: usize = 64;
const MAX_LOADER_BYTES: u64 = 4096;

/// Looks at a file; symbolic links are followed.
///
/// # Errors
/// It cannot be read.
pub(crate) fn look(path: &Path) -> io::Result<Kind> {
    let file = File::open(path)?;
    let mut head = [0; 2];
    if file.read_at(&mut head, 0)? == head.len() && head == *b"#!" {
        return Ok(Kind::Script);
    }
    Ok(elf(&ReadCache::new(file)).map_or(Kind::Other, Kind::Elf))
}

fn elf(file: &ReadCache<File>) -> Option<Elf> {
    match FileKind::parse(file).ok()? {
        FileKind::Elf32 => read::<FileHeader32<Endianness>>(file),
        FileKind::Elf64 => read::<FileHeader64<Endianness>>(file),
        _ => None,
    }
}

fn read<H: FileHeader<Endian = Endianness>>(file: &ReadCache<File>) -> Option<Elf> {
    let header = H::parse(file).ok()?;
    let endian = header.endian().ok()?;
    let machine = header.e_machine(endian);
    let [high, low] = match endian {
        Endianness::Little => machine.0.to_le_bytes(),
        Endianness::Big => machine.0.to_be_bytes(),
    };
    let identity = header.e_ident();
    let machine = [identity.class.0, identity.data.0, high, low];
    for part in header.program_headers(endian, file).ok()?.iter().take(MAX_HEADERS) {
        let is_read = part.p_filesz(endian).into() <= MAX_LOADER_BYTES;
        if is_read && let Some(loader) = part.interpreter(endian, file).ok()? {
            return Some(Elf { machine, loader: Some(loader.to_vec()) });
        }
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
