//! Programs as people write them, and look-alikes, in `programs/*.py`: which bound is seen, and what is not taken for one.
//!
//! In each file `#: bounded <name>` begins a program that keeps what it calls `items` small; `#: unbounded` one that looks alike and does
//! not, so that nothing may be found in it; `#: unseen` one that does, which is not read (docs/design/claims.md says so). `kind=dict` where
//! `items` is no list, `entry=any` or `entry=<key>` where it is a list inside of it, `owner=<class>` where that is known.

#![allow(clippy::unwrap_used, reason = "tests")]

use super::container::{Part, Wanted};
use super::guard::{Guard, guard};
use super::{Code, Unit};

const FILES: [&str; 5] = [
    include_str!("programs/counters.py"),
    include_str!("programs/helpers.py"),
    include_str!("programs/lengths.py"),
    include_str!("programs/predicates.py"),
    include_str!("programs/entries.py"),
];

struct Program {
    truth: &'static str,
    name: &'static str,
    options: Vec<(&'static str, &'static str)>,
    lines: Vec<String>,
}

impl Program {
    fn of(text: &'static str) -> Self {
        let (head, body) = text.split_once('\n').unwrap();
        let mut words = head.split(' ');
        let (truth, name) = (words.next().unwrap(), words.next().unwrap());
        let options = words.map(|word| word.split_once('=').unwrap()).collect();
        Self { truth, name, options, lines: body.lines().map(str::to_owned).collect() }
    }

    fn option(&self, name: &str) -> Option<&'static str> {
        self.options.iter().find(|(own, _)| *own == name).map(|(_, value)| *value)
    }

    fn bound(&self) -> Option<Guard> {
        let part = self
            .option("entry")
            .map_or(Part::Whole, |key| Part::Entry(Some(key).filter(|key| *key != "any")));
        let is_list = self.option("kind").is_none();
        let owner = self.option("owner").unwrap_or("");
        let code = Code::of(&self.lines).unwrap();
        guard(&code, &Wanted { name: "items", part, is_list, owner, numbers: &[] }, &|_| false)
            .filter(Guard::is_sure)
    }
}

fn programs() -> impl Iterator<Item = Program> {
    FILES.iter().flat_map(|file| file.split("#: ").skip(1).map(Program::of))
}

fn bound(name: &str) -> Guard {
    programs().find(|program| program.name == name).unwrap().bound().unwrap()
}

#[test]
fn what_is_bounded_is_seen_and_what_looks_alike_is_not() {
    let mut wrong = Vec::new();
    for program in programs() {
        let bound = program.bound();
        if bound.is_some() != (program.truth == "bounded") {
            wrong.push(format!("{} {}: {bound:?}", program.truth, program.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_program_is_read() {
    let count = |truth: &str| programs().filter(|program| program.truth == truth).count();
    assert!(count("bounded") > 40 && count("unbounded") > 40 && count("unseen") > 0);
    assert_eq!(programs().count(), count("bounded") + count("unbounded") + count("unseen"));
    for program in programs() {
        let code = Code::of(&program.lines).unwrap();
        let broken = code.functions().find(|function| code.is_broken(Some(*function)));
        assert!(broken.is_none() && !code.is_broken(None), "{}", program.name);
    }
}

#[test]
fn what_is_counted_is_told() {
    let unit = |name: &str| bound(name).unit;
    assert_eq!((unit("bytes_replaced"), unit("bytes_evict")), (Unit::Bytes, Unit::Bytes));
    assert_eq!((unit("counter_local"), unit("len_method")), (Unit::Elements, Unit::Elements));
    assert_eq!(unit("sum_of_lists"), Unit::Other, "that of all together is not that of each");
}

#[test]
fn the_number_goes_through_calls() {
    for name in ["static_helper", "class_helper", "helper_returns"] {
        assert_eq!(bound(name).most, Some(50), "{name}");
    }
    assert_eq!(bound("return_early").most, None, "another caller may give another number than 100");
}
