//! The lines of a notebook's cells, which stand in no file.
//!
//! In: facts. Out: lines for whoever asks for the file that a cell's code says it is of. What must not happen here: an answer for a file
//! that no cell was told to be of.

use std::collections::HashMap;

use nilometer_capture::{Capture, Record};

use crate::lookup::{Lookup, Name, Object, Part};
use crate::pack::Packs;

/// The fact that has a cell's source: `source./tmp/ipykernel_7/1234.py`.
const PREFIX: &str = "source.";

/// Answers from the capture, then asks on.
pub(crate) struct Sources<'a> {
    of_file: HashMap<&'a str, &'a str>,
    next: &'a mut dyn Lookup,
}

impl<'a> Sources<'a> {
    pub(crate) fn of(capture: &'a Capture, next: &'a mut dyn Lookup) -> Self {
        let source = |record: &'a Record| match record {
            Record::Fact { key, value } => Some((key.strip_prefix(PREFIX)?, value.as_str())),
            _ => None,
        };
        Self { of_file: capture.records.iter().filter_map(|stamped| source(&stamped.record)).collect(), next }
    }
}

impl Lookup for Sources<'_> {
    fn packs(&self) -> Packs {
        self.next.packs()
    }

    fn names(&mut self, objects: &[Object], addresses: &[u64]) -> HashMap<u64, Name> {
        self.next.names(objects, addresses)
    }

    fn part(&mut self, frames: &[(&str, &str)]) -> Option<Part> {
        self.next.part(frames)
    }

    fn line(&mut self, file: &str, line: u32) -> Option<String> {
        match self.of_file.get(file) {
            Some(source) => source.lines().nth(line.checked_sub(1)? as usize).map(str::to_owned),
            None => self.next.line(file, line),
        }
    }

    fn lines(&mut self, file: &str) -> Vec<String> {
        match self.of_file.get(file) {
            Some(source) => source.lines().map(str::to_owned).collect(),
            None => self.next.lines(file),
        }
    }
}
