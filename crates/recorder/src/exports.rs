//! Finds a function in a loaded object by its name, reading the object's own symbol table in memory.
//!
//! In: an address inside of an object, and a name. Out: where that object has the function. What must not happen here: a
//! question to the dynamic linker that takes its lock for long, opens the object anew, or finds our own function of
//! the same name.
//!
//! `dlsym(RTLD_NEXT)` does not do: Python loads its extensions so that their symbols are not global.
//!
//! Format: ELF gABI, chapter 5, and the hash table of GNU (`DT_GNU_HASH`).
#![expect(
    unsafe_code,
    reason = "reads the tables of a loaded object where its dynamic section says they are"
)]

use std::ffi::{c_int, c_void};

const DT_NULL: u64 = 0;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_GNU_HASH: u64 = 0x6fff_fef5;
/// Undefined: the object uses the symbol and another one has it.
const SHN_UNDEF: u16 = 0;

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

/// Which objects are searched.
#[derive(Clone, Copy)]
enum Where {
    /// The one that covers this address.
    Covering(u64),
    /// All that do not cover this one.
    Elsewhere(u64),
}

struct Search<'a> {
    place: Where,
    name: &'a [u8],
    found: Option<u64>,
}

/// The address of `name` in the object that covers `inside`.
pub(crate) fn function_in(inside: u64, name: &[u8]) -> Option<u64> {
    search(Where::Covering(inside), name)
}

/// The address of `name` in the first object that has it, other than ours.
pub(crate) fn function_anywhere(name: &[u8]) -> Option<u64> {
    search(Where::Elsewhere(function_anywhere as *const () as u64), name)
}

fn search(place: Where, name: &[u8]) -> Option<u64> {
    let mut search = Search { place, name, found: None };
    // SAFETY: `visit` gets this `Search` back, which outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found
}

unsafe extern "C" fn visit(object: *mut libc::dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
    // SAFETY: the linker hands over a valid description, `function_in` its own `Search`.
    let (object, search) = unsafe { (&*object, &mut *data.cast::<Search>()) };
    // SAFETY: that many headers, mapped as long as the object is.
    let headers = unsafe { std::slice::from_raw_parts(object.dlpi_phdr, usize::from(object.dlpi_phnum)) };
    let bias = object.dlpi_addr;
    let covers = |address: u64| {
        headers.iter().any(|header| {
            let start = bias.wrapping_add(header.p_vaddr);
            header.p_type == libc::PT_LOAD && address.wrapping_sub(start) < header.p_memsz
        })
    };
    let wanted = match search.place {
        Where::Covering(address) => covers(address),
        Where::Elsewhere(address) => !covers(address),
    };
    if !wanted {
        return 0;
    }
    let dynamic = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC);
    search.found = dynamic
        .and_then(|header| Tables::of(bias, bias.wrapping_add(header.p_vaddr), header.p_memsz))
        .and_then(|tables| tables.find(search.name));
    c_int::from(search.found.is_some() || matches!(search.place, Where::Covering(_)))
}

/// Where an object has its tables.
struct Tables {
    bias: u64,
    hash: u64,
    symbols: u64,
    strings: u64,
}

impl Tables {
    fn of(bias: u64, dynamic: u64, bytes: u64) -> Option<Self> {
        let mut found = [None; 3];
        for entry in 0..bytes / 16 {
            let (tag, value) = (read::<u64>(dynamic + entry * 16), read::<u64>(dynamic + entry * 16 + 8));
            // glibc writes addresses there; other linkers leave the distance from the bias.
            let address = if value < bias { value.wrapping_add(bias) } else { value };
            match tag {
                DT_NULL => break,
                DT_GNU_HASH => found[0] = Some(address),
                DT_SYMTAB => found[1] = Some(address),
                DT_STRTAB => found[2] = Some(address),
                _ => {}
            }
        }
        let [hash, symbols, strings] = found;
        Some(Self { bias, hash: hash?, symbols: symbols?, strings: strings? })
    }

    fn find(&self, name: &[u8]) -> Option<u64> {
        let buckets = read::<u32>(self.hash);
        let first = read::<u32>(self.hash + 4);
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
            if link | 1 == hash | 1
                && let Some(address) = self.defined(index, name)
            {
                return Some(address);
            }
            if link & 1 == 1 {
                return None;
            }
            index = index.checked_add(1)?;
        }
    }

    fn defined(&self, index: u32, name: &[u8]) -> Option<u64> {
        let symbol: Symbol = read(self.symbols + u64::from(index) * size_of::<Symbol>() as u64);
        let text = self.strings + u64::from(symbol.name);
        let is_same = name.iter().zip(0..).all(|(byte, at)| read::<u8>(text + at) == *byte);
        let ends = read::<u8>(text + name.len() as u64) == 0;
        (is_same && ends && symbol.section != SHN_UNDEF).then(|| self.bias.wrapping_add(symbol.value))
    }
}

fn gnu_hash(name: &[u8]) -> u32 {
    name.iter().fold(5381_u32, |hash, byte| hash.wrapping_mul(33).wrapping_add(u32::from(*byte)))
}

fn read<T>(address: u64) -> T {
    // SAFETY: the address comes from the object's own dynamic section and tables, which the linker itself follows for
    // every symbol it binds; the object stays loaded, as one of its functions or tables called us.
    unsafe { std::ptr::read_unaligned(address as usize as *const T) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_the_c_library_are_where_the_linker_finds_them() {
        let inside = libc::getenv as *const () as u64;
        for name in [c"getenv", c"qsort", c"posix_memalign", c"strtoull"] {
            // SAFETY: a C string, and the default search.
            let expected = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) } as u64;
            assert_eq!(function_in(inside, name.to_bytes()), Some(expected), "{name:?}");
        }
    }

    #[test]
    fn a_function_is_found_without_knowing_where() {
        // SAFETY: a C string, and the default search.
        let expected = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"qsort".as_ptr()) } as u64;
        assert_eq!(function_anywhere(b"qsort"), Some(expected));
        assert_eq!(function_anywhere(b"no such function"), None);
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        let inside = libc::getenv as *const () as u64;
        assert_eq!(function_in(inside, b"no such function"), None);
        assert_eq!(function_in(inside, b"geten"), None);
        assert_eq!(function_in(16, b"getenv"), None);
    }
}
