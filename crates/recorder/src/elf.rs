//! Loaded objects and their tables, read in memory as the dynamic linker reads them.
//!
//! In: nothing. Out: each object that is loaded now, while the linker's list stands still: where it lies, where it has a
//! symbol, which symbols it takes from others, which places of its memory were bound to a symbol. What must not happen
//! here: a table that is read after its object could be gone; an allocation.
//!
//! Format: ELF gABI, chapter 5, and the hash table of GNU (`DT_GNU_HASH`).
#![expect(
    unsafe_code,
    reason = "reads the tables of a loaded object where its dynamic section says they are"
)]

use std::ffi::{c_int, c_void};
use std::ops::Range;

const DT_NULL: u64 = 0;
const DT_PLTRELSZ: u64 = 2;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_RELA: u64 = 7;
const DT_RELASZ: u64 = 8;
const DT_JMPREL: u64 = 23;
const DT_GNU_HASH: u64 = 0x6fff_fef5;
const DT_RELACOUNT: u64 = 0x6fff_fff9;
/// Undefined: the object uses the symbol and another one has it.
const SHN_UNDEF: u16 = 0;
/// A function that tells where the function is.
const STT_GNU_IFUNC: u8 = 10;

/// An entry of the symbol table.
#[repr(C)]
struct Symbol {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: u64,
    size: u64,
}

/// A place that the linker filled: `r_offset`, `r_info`, `r_addend`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Relocation {
    place: u64,
    info: u64,
    pub(crate) addend: i64,
}

impl Relocation {
    /// The index of its symbol.
    pub(crate) fn symbol(self) -> u32 {
        (self.info >> 32) as u32
    }

    pub(crate) fn kind(self) -> u32 {
        self.info as u32
    }
}

/// A loaded object, within a call of [`each`].
pub(crate) struct Object<'a> {
    /// What is added to an address in the file to get the one in memory.
    pub(crate) bias: u64,
    /// Objects that were ever loaded, and ever unloaded, in this process.
    pub(crate) counts: (u64, u64),
    headers: &'a [libc::Elf64_Phdr],
}

/// Calls `visit` for each loaded object, in the order in which the linker looks for symbols among those that the program
/// began with, until it says false. The linker's list stands still meanwhile; others may wait to load something.
pub(crate) fn each(visit: &mut dyn FnMut(&Object<'_>) -> bool) {
    let mut visit = visit;
    // SAFETY: `step` gets this reference back, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(step), (&raw mut visit).cast()) };
}

unsafe extern "C" fn step(object: *mut libc::dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
    // SAFETY: the linker hands over a valid description, `each` its own closure.
    let (object, visit) = unsafe { (&*object, &mut *data.cast::<&mut dyn FnMut(&Object<'_>) -> bool>()) };
    if object.dlpi_phdr.is_null() {
        return 0;
    }
    // SAFETY: that many headers, mapped as long as the object is.
    let headers = unsafe { std::slice::from_raw_parts(object.dlpi_phdr, usize::from(object.dlpi_phnum)) };
    let counts = (object.dlpi_adds, object.dlpi_subs);
    c_int::from(!visit(&Object { bias: object.dlpi_addr, counts, headers }))
}

impl Object<'_> {
    /// Where it lies in memory, part by part: addresses and what may be done there (`PF_R`, `PF_W`, `PF_X`).
    pub(crate) fn parts(&self) -> impl Iterator<Item = (Range<u64>, u32)> {
        self.of_kind(libc::PT_LOAD).map(|header| (self.range(header), header.p_flags))
    }

    pub(crate) fn covers(&self, address: u64) -> bool {
        self.parts().any(|(range, _flags)| range.contains(&address))
    }

    /// What the linker makes read-only once it has filled it: as the program headers say, not in whole pages.
    pub(crate) fn sealed(&self) -> Option<Range<u64>> {
        self.of_kind(libc::PT_GNU_RELRO).next().map(|header| self.range(header))
    }

    /// What tells this object from all others that are loaded.
    pub(crate) fn identity(&self) -> u64 {
        self.headers.as_ptr() as u64
    }

    /// `None` if it has none that can be read.
    pub(crate) fn tables(&self) -> Option<Tables> {
        let dynamic = self.range(self.of_kind(libc::PT_DYNAMIC).next()?);
        Tables::of(self.bias, dynamic)
    }

    fn of_kind(&self, kind: u32) -> impl Iterator<Item = &libc::Elf64_Phdr> {
        self.headers.iter().filter(move |header| header.p_type == kind)
    }

    fn range(&self, header: &libc::Elf64_Phdr) -> Range<u64> {
        let start = self.bias.wrapping_add(header.p_vaddr);
        start..start.saturating_add(header.p_memsz)
    }
}

/// Where an object has its tables.
pub(crate) struct Tables {
    bias: u64,
    hash: u64,
    symbols: u64,
    strings: u64,
    /// Places bound to symbols, all but those that know no symbol; and those of calls.
    data: Range<u64>,
    calls: Range<u64>,
}

impl Tables {
    fn of(bias: u64, dynamic: Range<u64>) -> Option<Self> {
        let (mut hash, mut symbols, mut strings) = (None, None, None);
        let (mut data, mut calls) = (0, 0);
        let (mut data_bytes, mut call_bytes, mut without_symbol) = (0, 0, 0);
        for at in dynamic.step_by(16) {
            let (tag, value) = (read::<u64>(at), read::<u64>(at + 8));
            // glibc writes addresses there; other linkers leave the distance from the bias.
            let address = if value < bias { value.wrapping_add(bias) } else { value };
            match tag {
                DT_NULL => break,
                DT_GNU_HASH => hash = Some(address),
                DT_SYMTAB => symbols = Some(address),
                DT_STRTAB => strings = Some(address),
                DT_RELA => data = address,
                DT_RELASZ => data_bytes = value,
                DT_RELACOUNT => without_symbol = value,
                DT_JMPREL => calls = address,
                DT_PLTRELSZ => call_bytes = value,
                _ => {}
            }
        }
        let first = without_symbol.saturating_mul(size_of::<Relocation>() as u64).min(data_bytes);
        Some(Self {
            bias,
            hash: hash?,
            symbols: symbols?,
            strings: strings?,
            data: data.saturating_add(first)..data.saturating_add(data_bytes),
            calls: calls..calls.saturating_add(call_bytes),
        })
    }

    /// Where the object has the function `name`, in memory.
    pub(crate) fn find(&self, name: &[u8]) -> Option<u64> {
        let symbol = self.symbol(self.listed(name, |symbol| !symbol.is_taken())?);
        Some(self.bias.wrapping_add(symbol.value))
    }

    /// The index of `name`, where it is in the object's own list, and whether the object takes it from another one
    /// nevertheless: a program that lies at a fixed address lists functions of others of which it takes the address.
    pub(crate) fn index(&self, name: &[u8]) -> Option<(u32, bool)> {
        let index = self.listed(name, |_symbol| true)?;
        Some((index, self.symbol(index).section == SHN_UNDEF))
    }

    fn listed(&self, name: &[u8], is_it: impl Fn(&Symbol) -> bool) -> Option<u32> {
        let buckets = read::<u32>(self.hash);
        let first = self.first();
        let bloom = read::<u32>(self.hash + 8);
        if buckets == 0 {
            return None;
        }
        let hash = gnu_hash(name);
        let bucket_at = self.hash + 16 + 8 * u64::from(bloom);
        let chain_at = bucket_at + 4 * u64::from(buckets);
        let mut index = read::<u32>(bucket_at + 4 * u64::from(hash % buckets));
        if index < first {
            return None; // an empty bucket
        }
        loop {
            let link = read::<u32>(chain_at + 4 * u64::from(index - first));
            // The lowest bit of a link says that the bucket ends, the others are those of the hash.
            if link | 1 == hash | 1 {
                let symbol = self.symbol(index);
                if is_name(self.strings + u64::from(symbol.name), name) && is_it(&symbol) {
                    return Some(index);
                }
            }
            if link & 1 == 1 {
                return None;
            }
            index = index.checked_add(1)?;
        }
    }

    /// The symbols that the object takes from others and does not list, by index: the hash table begins behind them.
    pub(crate) fn taken(&self) -> Range<u32> {
        1..self.first().max(1)
    }

    /// The first eight bytes of a symbol's name, zeros behind its end; and where the name lies.
    pub(crate) fn begin_of_name(&self, index: u32) -> (u64, u64) {
        let at = self.strings + u64::from(read::<u32>(self.symbols + u64::from(index) * SYMBOL_BYTES));
        let mut word = 0;
        for byte in 0..8 {
            let letter = read::<u8>(at + byte);
            if letter == 0 {
                break;
            }
            word |= u64::from(letter) << (8 * byte);
        }
        (word, at)
    }

    /// The places of this object that were bound to symbols: those of data, then those of calls.
    pub(crate) fn relocations(&self) -> impl Iterator<Item = Relocation> {
        let step = size_of::<Relocation>();
        let all = self.data.clone().step_by(step).chain(self.calls.clone().step_by(step));
        all.map(read::<Relocation>)
    }

    /// Where a relocation's place is in memory.
    pub(crate) fn place(&self, relocation: Relocation) -> u64 {
        self.bias.wrapping_add(relocation.place)
    }

    /// The first symbol of the hash table.
    fn first(&self) -> u32 {
        read::<u32>(self.hash + 4)
    }

    fn symbol(&self, index: u32) -> Symbol {
        read(self.symbols + u64::from(index) * SYMBOL_BYTES)
    }
}

impl Symbol {
    /// Not a function of this object, or none that can be called.
    fn is_taken(&self) -> bool {
        self.section == SHN_UNDEF || self.info & 0xf == STT_GNU_IFUNC
    }
}

const SYMBOL_BYTES: u64 = size_of::<Symbol>() as u64;

/// Whether `name` stands at this place of a table of strings that [`Tables`] told.
pub(crate) fn is_name(at: u64, name: &[u8]) -> bool {
    let is_same = name.iter().zip(0..).all(|(byte, offset)| read::<u8>(at + offset) == *byte);
    is_same && read::<u8>(at + name.len() as u64) == 0
}

fn gnu_hash(name: &[u8]) -> u32 {
    name.iter().fold(5381_u32, |hash, byte| hash.wrapping_mul(33).wrapping_add(u32::from(*byte)))
}

fn read<T>(address: u64) -> T {
    // SAFETY: the address comes from the object's own dynamic section and tables, which the linker itself follows for
    // every symbol it binds; the object cannot be unloaded while `each` visits it.
    unsafe { std::ptr::read_unaligned(address as usize as *const T) }
}
