//! The facts of an ELF object that naming needs: the places of its symbol tables and their strings.
//!
//! In: a source with any bytes. Out: tables whose ranges lie inside the source. 64-bit little-endian only: the recorder
//! runs on nothing else.
//!
//! By hand, and not by `object`: of a section's header four fields are needed, each file has a bound on what is read of it, and the
//! symbols behind it stream through a buffer of our own, since TensorFlow has 1.24 million of them.

use crate::source::Source;

/// Why there are no tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    NotAnObject,
    NoSymbols,
}

/// A symbol table and its strings, as ranges of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SymbolTable {
    pub(crate) offset: u64,
    pub(crate) symbols: u64,
    pub(crate) names_offset: u64,
    pub(crate) names_bytes: u64,
    /// `.symtab`, which lists every function; `.dynsym` lists only exported ones.
    pub(crate) complete: bool,
}

/// Bytes of one entry of a symbol table.
pub(crate) const SYMBOL_BYTES: u64 = 24;
const HEADER_BYTES: usize = 64;
const SECTION_HEADER_BYTES: usize = 64;
const SYMTAB: u32 = 2;
const STRTAB: u32 = 3;
const DYNSYM: u32 = 11;
/// No real object comes near. TensorFlow's libraries have under 50; an object with one section per function
/// has not been linked.
const MAX_SECTIONS: u64 = 1 << 20;

struct Section {
    kind: u32,
    offset: u64,
    bytes: u64,
    link: u32,
}

/// The symbol tables of an object, `.symtab` first.
pub(crate) fn tables(source: &impl Source) -> Result<Vec<SymbolTable>, Fault> {
    let header: [u8; HEADER_BYTES] = source.array(0).ok_or(Fault::NotAnObject)?;
    // Magic, 64-bit, little-endian.
    if header.get(..6) != Some(&[0x7f, b'E', b'L', b'F', 2, 1]) {
        return Err(Fault::NotAnObject);
    }
    let first = u64_at(&header, 40);
    let size = u64::from(u16_at(&header, 58));
    let mut count = u64::from(u16_at(&header, 60));
    if first == 0 {
        return Err(Fault::NoSymbols);
    }
    if size < SECTION_HEADER_BYTES as u64 {
        return Err(Fault::NotAnObject);
    }
    if count == 0 {
        // More than 65,279 sections: the count stands in the first one.
        count = section(source, first, size, 0).ok_or(Fault::NotAnObject)?.bytes;
    }
    if count > MAX_SECTIONS || first.saturating_add(count * size) > source.length() {
        return Err(Fault::NotAnObject);
    }
    let mut tables = Vec::new();
    for index in 0..count {
        let Some(table) = section(source, first, size, index) else { continue };
        if (table.kind != SYMTAB && table.kind != DYNSYM) || u64::from(table.link) >= count {
            continue;
        }
        let Some(names) = section(source, first, size, u64::from(table.link)) else { continue };
        if names.kind != STRTAB || !inside(source, &table) || !inside(source, &names) {
            continue;
        }
        tables.push(SymbolTable {
            offset: table.offset,
            symbols: table.bytes / SYMBOL_BYTES,
            names_offset: names.offset,
            names_bytes: names.bytes,
            complete: table.kind == SYMTAB,
        });
    }
    // An object has one of each; a forged one with thousands would only cost time.
    tables.sort_by_key(|table| !table.complete);
    tables.truncate(2);
    if tables.is_empty() { Err(Fault::NoSymbols) } else { Ok(tables) }
}

fn section(source: &impl Source, first: u64, size: u64, index: u64) -> Option<Section> {
    let bytes: [u8; SECTION_HEADER_BYTES] = source.array(first.checked_add(index.checked_mul(size)?)?)?;
    Some(Section {
        kind: u32_at(&bytes, 4),
        offset: u64_at(&bytes, 24),
        bytes: u64_at(&bytes, 32),
        link: u32_at(&bytes, 40),
    })
}

fn inside(source: &impl Source, section: &Section) -> bool {
    section.offset.checked_add(section.bytes).is_some_and(|end| end <= source.length())
}

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u16::from_le_bytes(*chunk))
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u64::from_le_bytes(*chunk))
}
