//! Names for the addresses of one object.
//!
//! In: a file or bytes, and addresses in the object's own numbering. Out: raw names, or why there are none;
//! and symbols made from them, each once.

use crate::elf::Fault;
use crate::loaded::{Identity, Loaded};
use crate::resolve::{Missing, Symbol};
use crate::scan::Hit;
use crate::source::{OpenFile, Source};
use crate::{demangle, elf, plumbing, scan, short};
use std::collections::HashMap;
use std::fs::{File, Metadata};

/// The result of a lookup in one object.
pub(crate) struct LookupResult {
    /// One for each address.
    pub(crate) hits: Vec<Option<Hit>>,
    /// Why an address without a hit has none.
    pub(crate) missing: Missing,
}

/// Looks up sorted addresses in the file of a loaded object.
pub(crate) fn in_file(object: &Loaded, sorted: &[u64]) -> Result<LookupResult, Missing> {
    // Opening a pipe would block.
    let facts = std::fs::metadata(object.path).ok().filter(Metadata::is_file).ok_or(Missing::Gone)?;
    if object.identity.is_some_and(|seen| seen != Identity::of(&facts)) {
        return Err(Missing::Changed);
    }
    let file = File::open(object.path).ok().ok_or(Missing::Gone)?;
    in_source(&OpenFile { file, bytes: facts.len() }, sorted)
}

fn in_source(source: &impl Source, sorted: &[u64]) -> Result<LookupResult, Missing> {
    let tables = elf::tables(source).map_err(|fault| match fault {
        Fault::NotAnObject => Missing::Damaged,
        Fault::NoSymbols => Missing::Stripped,
    })?;
    let scanned = scan::scan(source, &tables, sorted).ok_or(Missing::Damaged)?;
    if !scanned.functions {
        return Err(Missing::Stripped);
    }
    let whole = tables.iter().any(|table| table.complete);
    let missing = if whole { Missing::NoSymbol } else { Missing::NotExported };
    Ok(LookupResult { hits: scanned.hits, missing })
}

/// The symbols at addresses in an object's bytes, in its own numbering, in any order. Like
/// [`crate::resolve`], but without a file and a process.
///
/// # Errors
/// [`Missing::Damaged`] or [`Missing::Stripped`].
pub fn names_in(object: &[u8], addresses: &[u64]) -> Result<Vec<Option<Symbol>>, Missing> {
    let mut names = SymbolCache::default();
    let mut sorted = addresses.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let looked = in_source(&object, &sorted)?;
    let found = |address: &u64| {
        let at = sorted.binary_search(address).ok()?;
        let index = names.index(&looked.hits.get(at)?.as_ref()?.name);
        names.symbols.get(index).cloned()
    };
    Ok(addresses.iter().map(found).collect())
}

/// Symbols by raw name: each is demangled once.
#[derive(Default)]
pub(crate) struct SymbolCache {
    known: HashMap<Vec<u8>, usize>,
    pub(crate) symbols: Vec<Symbol>,
}

impl SymbolCache {
    /// The index in `symbols` of the symbol with a raw name.
    pub(crate) fn index(&mut self, raw: &[u8]) -> usize {
        if let Some(&known) = self.known.get(raw) {
            return known;
        }
        let name = demangle::full(raw);
        let path = short::path(&name);
        self.symbols.push(Symbol { short: short::short(&name, &path), plumbing: plumbing::is(&path), name });
        self.known.insert(raw.to_vec(), self.symbols.len() - 1);
        self.symbols.len() - 1
    }
}
