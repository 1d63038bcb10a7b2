//! Which functions of machine code a report asks the names of: reading TensorFlow's symbols takes longer than all else in it.

use std::collections::HashMap;

use crate::world::recorder::Files;
use crate::world::{World, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_diagnose::{Lookup, Name, Object, Part, diagnose_with};

/// The world's names, and those that were found for somebody.
struct Asked<'w> {
    files: Files,
    names: &'w mut Vec<String>,
}

impl Lookup for Asked<'_> {
    fn packs(&self) -> nilometer_diagnose::pack::Packs {
        nilometer_frameworks::DIAGNOSE
    }

    fn names(&mut self, objects: &[Object], addresses: &[u64]) -> HashMap<u64, Name> {
        let found = self.files.names(objects, addresses);
        self.names.extend(found.values().map(|name| name.full.clone()));
        self.names.sort();
        found
    }

    fn part(&mut self, frames: &[(&str, &str)]) -> Option<Part> {
        self.files.part(frames)
    }

    fn line(&mut self, file: &str, line: u32) -> Option<String> {
        self.files.line(file, line)
    }

    fn lines(&mut self, file: &str) -> Vec<String> {
        self.files.lines(file)
    }
}

fn asked(w: &World) -> Vec<String> {
    let mut names = Vec::new();
    diagnose_with(&w.capture(), &mut Asked { files: w.files(), names: &mut names });
    names
}

#[test]
fn what_an_import_made_has_a_line_and_needs_no_name() {
    let mut w = World::new();
    w.records(64 << 10, 1);
    let imported = w.stack(&["/job/train.py:1 <module>", "tensorflow::Register", "std::allocate"]);
    w.phase("import", |w| {
        w.makes(imported, 64 << 20, 1);
    });
    w.ends(0);
    assert!(asked(&w).is_empty(), "{:?}", asked(&w));
}

#[test]
fn a_thread_without_python_has_its_name_asked_for() {
    let mut w = World::new();
    w.records(64 << 10, 1);
    let of_pool = w.stack(&["start_thread", "tensorflow::Run"]);
    let by_us =
        w.stack(&["/v/lib/python3.11/site-packages/nilometer/hooks/keras3.py:9 begin", "tensorflow::Boot"]);
    w.makes(of_pool, 64 << 20, 1);
    w.makes(by_us, 64 << 20, 1);
    w.ends(0);
    assert_eq!(asked(&w), ["start_thread", "tensorflow::Boot", "tensorflow::Run"]);
}

#[test]
fn what_grows_has_all_its_names_asked_for() {
    let mut w = started();
    w.records(64 << 10, 1);
    let stack = w.stack(&["/job/train.py:60 <module>", "tensorflow::Step"]);
    for _ in 0..12 {
        w.makes(stack, 8 << 20, 1);
        w.objects(100).cycle(Epoch);
    }
    w.ends(0);
    assert_eq!(asked(&w), ["tensorflow::Step"]);
}

#[test]
fn what_a_look_met_below_a_holder_has_all_its_names_asked_for() {
    let mut w = World::new();
    w.records(64 << 10, 1);
    let stack = w.stack(&["/job/train.py:60 <module>", "tensorflow::Table"]);
    let made = w.makes(stack, 64 << 20, 1);
    w.looks(&[("__main__.KEPT[*]", "", &[&made])]);
    w.ends(0);
    assert_eq!(asked(&w), ["tensorflow::Table"]);
}
