//! A program or library in a process's memory: its symbols, and the end of its writable memory.
//!
//! In: the address of its first mapping. Out: addresses of symbols, from the dynamic loader's table.
//! Everything is read from the process's memory, not from the file, which may be gone or different from the
//! process's view. What must not happen here: trust in a number that was read; each is checked or bounded.

use crate::memory::Memory;

const PT_LOAD: u32 = 1;
const PT_DYNAMIC: u32 = 2;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_GNU_HASH: u64 = 0x6fff_fef5;
const PF_W: u32 = 2;
const EM_X86_64: u16 = 62;
/// Bytes of a symbol in the table.
const SYMBOL_BYTES: u64 = 24;
const PAGE_BYTES: u64 = 4096;
/// Bounds of a sane file.
const MAX_HEADERS: u16 = 64;
const MAX_TAGS: u64 = 512;
const MAX_CHAIN: u32 = 4096;

/// An x86-64 file that the loader has mapped.
#[derive(Debug)]
pub(crate) struct Image {
    memory: Memory,
    bias: u64,
    /// The first byte behind its memory, if that part is writable.
    end: Option<u64>,
    strings: u64,
    symbols: u64,
    hash: u64,
}

/// The start of a mapped file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// A 64-bit file for this machine.
    Ours,
    /// A program for another machine.
    OtherMachine,
    /// No ELF file.
    NotElf,
}

/// Checks the first bytes of a mapping of a file's start.
pub(crate) fn head(memory: Memory, base: u64) -> Head {
    let mut bytes = [0; 20];
    if memory.read(base, &mut bytes).is_none() || !bytes.starts_with(b"\x7fELF") {
        return Head::NotElf;
    }
    let machine = u16::from_le_bytes([bytes[18], bytes[19]]);
    if bytes[4] == 2 && bytes[5] == 1 && machine == EM_X86_64 { Head::Ours } else { Head::OtherMachine }
}

impl Image {
    /// The file whose first byte is mapped at `base`; `None` if it has no symbols for the loader.
    pub(crate) fn at(memory: Memory, base: u64) -> Option<Self> {
        if head(memory, base) != Head::Ours {
            return None;
        }
        let headers = base.checked_add(memory.word(base + 32)?)?;
        let size = u64::from(half(memory, base + 54)?);
        let count = half(memory, base + 56)?;
        if size != 56 || count > MAX_HEADERS {
            return None;
        }
        let (mut first, mut dynamic, mut last) = (None, None, (0, false));
        for index in 0..u64::from(count) {
            let at = headers.checked_add(index * size)?;
            let (kind, flags) = (memory.int(at)?, memory.int(at + 4)?);
            let (offset, address, length) =
                (memory.word(at + 8)?, memory.word(at + 16)?, memory.word(at + 40)?);
            match kind {
                PT_LOAD => {
                    if offset == 0 {
                        first = Some(address);
                    }
                    last = last.max((address.checked_add(length)?, flags & PF_W != 0));
                }
                PT_DYNAMIC => dynamic = Some(address),
                _ => {}
            }
        }
        let bias = base.wrapping_sub(first?);
        let tables = Tables::read(memory, bias.wrapping_add(dynamic?))?;
        // The loader replaces the file's numbers by addresses, but not in every file.
        let place = |number: u64| if number < base { bias.wrapping_add(number) } else { number };
        Some(Self {
            memory,
            bias,
            end: last.1.then(|| bias.wrapping_add(last.0)),
            strings: place(tables.strings?),
            symbols: place(tables.symbols?),
            hash: place(tables.hash?),
        })
    }

    /// From the end of its memory to the end of that page: bytes that nothing uses.
    pub(crate) fn spare_bytes(&self) -> Option<(u64, u64)> {
        let end = self.end?;
        let page = end.next_multiple_of(PAGE_BYTES);
        (end < page).then_some((end, page))
    }

    /// The address of a symbol that the file defines.
    pub(crate) fn symbol(&self, name: &str) -> Option<u64> {
        let memory = self.memory;
        let (buckets, first, words) = (
            memory.int(self.hash)?,
            memory.int(self.hash.checked_add(4)?)?,
            memory.int(self.hash.checked_add(8)?)?,
        );
        if buckets == 0 {
            return None;
        }
        let hash = gnu_hash(name);
        let table = self.hash.checked_add(16 + 8 * u64::from(words))?;
        let mut index = memory.int(table + 4 * u64::from(hash % buckets))?;
        let chain = table.checked_add(4 * u64::from(buckets))?;
        for _ in 0..MAX_CHAIN {
            let entry = memory.int(chain.checked_add(4 * u64::from(index.checked_sub(first)?))?)?;
            if entry | 1 == hash | 1
                && let Some(address) = self.is(index, name)
            {
                return Some(address);
            }
            if entry & 1 == 1 {
                return None;
            }
            index = index.checked_add(1)?;
        }
        None
    }

    /// The symbol's address, if the symbol at this index is defined and has this name.
    fn is(&self, index: u32, name: &str) -> Option<u64> {
        let at = self.symbols.checked_add(SYMBOL_BYTES * u64::from(index))?;
        let text = self.strings.checked_add(u64::from(self.memory.int(at)?))?;
        let found = self.memory.bytes(text, name.len() + 1)?;
        let defined = half(self.memory, at + 6)? != 0;
        (defined && found.strip_suffix(b"\0") == Some(name.as_bytes()))
            .then_some(self.bias.wrapping_add(self.memory.word(at + 8)?))
    }
}

#[derive(Default)]
struct Tables {
    strings: Option<u64>,
    symbols: Option<u64>,
    hash: Option<u64>,
}

impl Tables {
    fn read(memory: Memory, dynamic: u64) -> Option<Self> {
        let mut tables = Self::default();
        for index in 0..MAX_TAGS {
            let at = dynamic.checked_add(16 * index)?;
            let value = memory.word(at + 8)?;
            match memory.word(at)? {
                0 => break,
                DT_STRTAB => tables.strings = Some(value),
                DT_SYMTAB => tables.symbols = Some(value),
                DT_GNU_HASH => tables.hash = Some(value),
                _ => {}
            }
        }
        Some(tables)
    }
}

fn half(memory: Memory, address: u64) -> Option<u16> {
    let mut bytes = [0; 2];
    memory.read(address, &mut bytes)?;
    Some(u16::from_le_bytes(bytes))
}

/// The hash function of the loader's table.
fn gnu_hash(name: &str) -> u32 {
    name.bytes().fold(5381_u32, |hash, byte| hash.wrapping_mul(33).wrapping_add(u32::from(byte)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;
    use crate::maps;

    fn libc_here() -> (Image, Vec<maps::Mapping>) {
        let maps = maps::parse(&std::fs::read_to_string("/proc/self/maps").unwrap());
        let base =
            maps.iter().find(|one| one.file().starts_with("libc.so") && one.offset == 0).unwrap().start;
        (Image::at(Memory::of(std::process::id()), base).unwrap(), maps)
    }

    #[test]
    fn the_hash_is_the_loaders() {
        assert_eq!((gnu_hash(""), gnu_hash("printf")), (0x1505, 0x156b_2bb8));
    }

    #[test]
    fn symbols_are_where_the_loader_puts_them() {
        let (libc, _) = libc_here();
        assert_eq!(libc.symbol("getppid"), Some(libc::getppid as *const () as u64));
        assert_eq!(libc.symbol("no_such_symbol"), None);
    }

    #[test]
    fn the_tail_is_the_end_of_a_writable_page() {
        let (libc, maps) = libc_here();
        let (from, to) = libc.spare_bytes().unwrap();
        assert!(to % PAGE_BYTES == 0 && to - from < PAGE_BYTES);
        assert!(maps::of(&maps, from).unwrap().writable);
    }

    #[test]
    fn what_is_no_file_is_none() {
        let bytes = [0_u8; 64];
        let memory = Memory::of(std::process::id());
        assert_eq!(head(memory, bytes.as_ptr() as u64), Head::NotElf);
        assert!(Image::at(memory, bytes.as_ptr() as u64).is_none());
        assert!(Image::at(memory, 4096).is_none());
    }
}
