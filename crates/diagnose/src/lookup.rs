//! What stands in files, asked of the caller: the diagnosis itself reads none.

use std::collections::HashMap;

use crate::pack::Packs;

/// A file with machine code as it was mapped in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object<'a> {
    /// Its path.
    pub path: &'a str,
    /// What is added to the addresses in the file.
    pub bias: u64,
    /// First address.
    pub start: u64,
    /// Address behind the last one.
    pub end: u64,
}

/// A function in machine code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// In full.
    pub full: String,
    /// For people.
    pub short: String,
    /// Only passes a call on.
    pub plumbing: bool,
}

/// Reads what a report wants to know beyond its capture. Each answer may be missing: the file may be gone, or on another
/// machine.
pub trait Lookup {
    /// What is known of frameworks.
    fn packs(&self) -> Packs {
        &[]
    }

    /// The functions that return addresses lie in, for as many as are known.
    fn names(&mut self, _objects: &[Object], _addresses: &[u64]) -> HashMap<u64, Name> {
        HashMap::new()
    }

    /// In words, the part of a framework that a stack belongs to. The frames are full names and paths of objects, the
    /// innermost first; what is not known is empty.
    fn part(&mut self, _frames: &[(&str, &str)]) -> Option<Part> {
        None
    }

    /// A line of a source file, from 1.
    fn line(&mut self, _file: &str, _line: u32) -> Option<String> {
        None
    }

    /// All lines of a source file; empty if it cannot be read.
    fn lines(&mut self, _file: &str) -> Vec<String> {
        Vec::new()
    }
}

/// A part of a framework.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// In words: `tf.data: shuffle buffer`.
    pub words: String,
    /// The operation that was running, if one.
    pub op: Option<String>,
}

/// Looks nothing up: names stay unknown. It knows these frameworks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing(pub Packs);

impl Lookup for Nothing {
    fn packs(&self) -> Packs {
        self.0
    }
}
