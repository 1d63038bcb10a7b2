//! What a report asked of files, with the answers: names of machine code, lines of source, parts of frameworks.
//!
//! In: a lookup, asked by a diagnosis. Out: a lookup that answers the same questions from memory. What must not happen here: an answer
//! that was not given. Another rule may ask what this one did not: it gets none, as where a file is gone.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::lookup::{Lookup, Name, Object, Part};
use crate::pack::Packs;

/// Questions and answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Answers {
    names: BTreeMap<u64, (String, String, bool)>,
    /// By the frames: see [`key`].
    parts: BTreeMap<u64, (String, Option<String>)>,
    lines: BTreeMap<String, BTreeMap<u32, String>>,
    files: BTreeMap<String, Vec<String>>,
}

impl Answers {
    /// The same with other folders.
    pub(super) fn renamed(&self, rename: &dyn Fn(&mut String)) -> Self {
        let other = |file: &String| {
            let mut file = file.clone();
            rename(&mut file);
            file
        };
        let files = self.files.iter().map(|(file, lines)| (other(file), lines.iter().map(other).collect()));
        let texts =
            |lines: &BTreeMap<u32, String>| lines.iter().map(|(nth, text)| (*nth, other(text))).collect();
        let lines = self.lines.iter().map(|(file, lines)| (other(file), texts(lines)));
        Self { lines: lines.collect(), files: files.collect(), ..self.clone() }
    }
}

/// Answers these, with what is known of frameworks today.
pub(super) struct Answering {
    pub(super) answers: Answers,
    pub(super) packs: Packs,
}

impl Lookup for Answering {
    fn packs(&self) -> Packs {
        self.packs
    }

    fn names(&mut self, _objects: &[Object], addresses: &[u64]) -> HashMap<u64, Name> {
        let known = |address: &u64| {
            let (full, short, plumbing) = self.answers.names.get(address)?.clone();
            Some((*address, Name { full, short, plumbing }))
        };
        addresses.iter().filter_map(known).collect()
    }

    fn part(&mut self, frames: &[(&str, &str)]) -> Option<Part> {
        let (words, op) = self.answers.parts.get(&key(frames))?.clone();
        Some(Part { words, op })
    }

    fn line(&mut self, file: &str, line: u32) -> Option<String> {
        self.answers.lines.get(file)?.get(&line).cloned()
    }

    fn lines(&mut self, file: &str) -> Vec<String> {
        self.answers.files.get(file).cloned().unwrap_or_default()
    }
}

/// A lookup that notes what another one answers.
pub(super) struct Noting<'a> {
    asked: &'a mut dyn Lookup,
    answers: Answers,
}

impl<'a> Noting<'a> {
    pub(super) fn new(asked: &'a mut dyn Lookup) -> Self {
        Self { asked, answers: Answers::default() }
    }

    pub(super) fn answers(self) -> Answers {
        self.answers
    }
}

impl Lookup for Noting<'_> {
    fn packs(&self) -> Packs {
        self.asked.packs()
    }

    fn names(&mut self, objects: &[Object], addresses: &[u64]) -> HashMap<u64, Name> {
        let names = self.asked.names(objects, addresses);
        let said = |(address, name): (&u64, &Name)| {
            (*address, (name.full.clone(), name.short.clone(), name.plumbing))
        };
        self.answers.names.extend(names.iter().map(said));
        names
    }

    fn part(&mut self, frames: &[(&str, &str)]) -> Option<Part> {
        let part = self.asked.part(frames)?;
        self.answers.parts.insert(key(frames), (part.words.clone(), part.op.clone()));
        Some(part)
    }

    fn line(&mut self, file: &str, line: u32) -> Option<String> {
        let text = self.asked.line(file, line)?;
        self.answers.lines.entry(file.to_owned()).or_default().insert(line, text.clone());
        Some(text)
    }

    fn lines(&mut self, file: &str) -> Vec<String> {
        let lines = self.asked.lines(file);
        if !lines.is_empty() {
            self.answers.files.insert(file.to_owned(), lines.clone());
        }
        lines
    }
}

/// A number for frames that is the same on every machine: FNV-1a, by 64 bits. The frames of a thousand stacks are far longer than what
/// is answered of them.
fn key(frames: &[(&str, &str)]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    // The folder of an object may be another one when this is asked again.
    let file = |object: &str| object.rfind('/').map_or(0, |slash| slash + 1);
    let bytes = frames.iter().flat_map(|(name, object)| {
        let object = object.get(file(object)..).unwrap_or_default();
        name.bytes().chain([0]).chain(object.bytes()).chain([b'\n'])
    });
    bytes.fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}
