//! What a report reads beyond its capture: names in object files, lines in source files.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use nilometer_diagnose::pack::Packs;
use nilometer_diagnose::{Lookup, Name, Object, Part};
use nilometer_symbols::part::Parts;
use nilometer_symbols::{Loaded, resolve};

/// Reads this machine's files.
pub(crate) struct Files {
    parts: Parts,
}

impl Default for Files {
    fn default() -> Self {
        Self { parts: Parts::new(nilometer_frameworks::SYMBOLS) }
    }
}

/// No source file is read further.
const MAX_SOURCE_BYTES: u64 = 16 << 20;

impl Lookup for Files {
    fn packs(&self) -> Packs {
        nilometer_frameworks::DIAGNOSE
    }

    fn names(&mut self, objects: &[Object], addresses: &[u64]) -> HashMap<u64, Name> {
        let loaded: Vec<Loaded> = objects
            .iter()
            .map(|&Object { path, bias, start, end }| Loaded { path, bias, start, end, identity: None })
            .collect();
        let symbols = resolve(&loaded, addresses);
        let name = |address: &u64| {
            let symbol = symbols.get(*address)?;
            let (full, short) = (symbol.name.clone(), symbol.short.clone());
            Some((*address, Name { full, short, plumbing: symbol.plumbing }))
        };
        addresses.iter().filter_map(name).collect()
    }

    fn part(&mut self, frames: &[(&str, &str)]) -> Option<Part> {
        let part = self.parts.part(frames)?;
        Some(Part { words: part.words, op: part.op })
    }

    fn line(&mut self, file: &str, line: u32) -> Option<String> {
        source(file)?.nth(line.checked_sub(1)? as usize)
    }

    fn lines(&mut self, file: &str) -> Vec<String> {
        source(file).map_or(Vec::new(), Iterator::collect)
    }
}

fn source(file: &str) -> Option<impl Iterator<Item = String>> {
    let path = Path::new(file);
    // A pipe would block when opened.
    path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let lines = BufReader::new(File::open(path).ok()?.take(MAX_SOURCE_BYTES)).lines();
    Some(lines.map_while(Result::ok))
}
