//! From addresses to symbols, over all loaded objects.

use crate::loaded::Loaded;
use crate::lookup::{self, SymbolCache};
use crate::words;

/// A function, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Demangled in full; if that fails, the name in the file, cut with `…` if it is far too long.
    pub name: String,
    /// For people: no parameters, no template arguments, the middle left out beyond a width.
    pub short: String,
    /// Only passes on a call or a block of memory (`std::function`, allocators, thread starters): fold it
    /// away.
    pub plumbing: bool,
}

/// Why an address has no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Missing {
    /// In no loaded object: code compiled at run time, or the object is not in the list.
    NoObject,
    /// The file is gone, may not be read, or never was a file (the kernel's `linux-vdso.so.1`).
    Gone,
    /// The file has changed since it was loaded.
    Changed,
    /// The file is no complete 64-bit little-endian ELF object.
    Damaged,
    /// The object has no function symbols at all.
    Stripped,
    /// The object names only its exported functions, and none covers this address.
    NotExported,
    /// The object names all its functions, and none covers this address.
    NoSymbol,
}

/// The names of the requested addresses.
#[derive(Debug, Default)]
pub struct Symbols {
    /// Sorted by address, each once.
    entries: Vec<Entry>,
    named: Vec<Symbol>,
    paths: Vec<String>,
    problems: Vec<String>,
}

#[derive(Debug)]
struct Entry {
    pc: u64,
    object: Option<usize>,
    found: Result<Found, Missing>,
}

#[derive(Debug, Clone, Copy)]
struct Found {
    symbol: usize,
    offset: u64,
}

impl Symbols {
    /// The function at a return address. `None`: not requested, or see [`Symbols::missing`].
    pub fn get(&self, pc: u64) -> Option<&Symbol> {
        self.named.get(self.entry(pc)?.found.ok()?.symbol)
    }

    /// Bytes from the function's start to the return address.
    pub fn offset(&self, pc: u64) -> Option<u64> {
        Some(self.entry(pc)?.found.ok()?.offset)
    }

    /// Why a requested address has no symbol.
    pub fn missing(&self, pc: u64) -> Option<Missing> {
        self.entry(pc)?.found.err()
    }

    /// The path of the loaded object that contains an address.
    pub fn object(&self, pc: u64) -> Option<&str> {
        let index = self.entry(pc)?.object?;
        self.paths.get(index).map(String::as_str)
    }

    /// Objects that gave no names for addresses in them: one sentence each.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    fn entry(&self, pc: u64) -> Option<&Entry> {
        let at = self.entries.binary_search_by_key(&pc, |entry| entry.pc).ok()?;
        self.entries.get(at)
    }
}

/// Looks up the names of `pcs`: return addresses in any order, repeats allowed. Where objects overlap,
/// because one was unloaded and another took its place, the last in the list counts.
pub fn resolve(objects: &[Loaded], pcs: &[u64]) -> Symbols {
    let mut sorted = pcs.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut symbols = Symbols {
        entries: sorted.iter().map(|&pc| Entry { pc, object: None, found: Err(Missing::NoObject) }).collect(),
        named: Vec::new(),
        paths: objects.iter().map(|object| object.path.to_owned()).collect(),
        problems: Vec::new(),
    };
    for (index, object) in objects.iter().enumerate() {
        let from = symbols.entries.partition_point(|entry| entry.pc <= object.start);
        let to = symbols.entries.partition_point(|entry| entry.pc <= object.end);
        for entry in symbols.entries.get_mut(from..to).unwrap_or_default() {
            entry.object = Some(index);
        }
    }
    let mut names = SymbolCache::default();
    for (index, object) in objects.iter().enumerate() {
        // An object's addresses are one range of the sorted ones, unless another object has taken part of it.
        let from = symbols.entries.partition_point(|entry| entry.pc <= object.start);
        let to = symbols.entries.partition_point(|entry| entry.pc <= object.end);
        let range = symbols.entries.get_mut(from..to).unwrap_or_default();
        let mut mine: Vec<(u64, &mut Entry)> = range
            .iter_mut()
            .filter(|entry| entry.object == Some(index))
            // The call is before its return address, which may already belong to the next function.
            .filter_map(|entry| Some((entry.pc.checked_sub(1)?.checked_sub(object.bias)?, entry)))
            .collect();
        if mine.is_empty() {
            continue;
        }
        let addresses: Vec<u64> = mine.iter().map(|(address, _)| *address).collect();
        match lookup::in_file(object, &addresses) {
            Ok(found) => {
                for ((address, entry), hit) in mine.iter_mut().zip(found.hits) {
                    entry.found = hit.map_or(Err(found.missing), |hit| {
                        // Counted up to the return address, as debuggers print it.
                        let offset = address.saturating_sub(hit.start).saturating_add(1);
                        Ok(Found { symbol: names.index(&hit.name), offset })
                    });
                }
            }
            Err(why) => {
                symbols.problems.push(words::nameless(object.path, why, mine.len()));
                for (_, entry) in &mut mine {
                    entry.found = Err(why);
                }
            }
        }
    }
    symbols.named = names.symbols;
    symbols
}
