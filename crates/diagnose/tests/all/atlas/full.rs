//! Containers that fill: a bound of their own, and one that the program keeps them at.
//!
//! In: bounds, sizes of elements, what grows beside. Out: rows. What must not happen here: growth that may be garbage.

use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::Holder;
use nilometer_diagnose::{Lookup, Report, diagnose_with};

use super::table::{Theme, Truth, of};
use crate::world::{KIB, MIB, started};

/// The program's source.
struct Source<'s>(&'s str);

impl Lookup for Source<'_> {
    fn packs(&self) -> nilometer_diagnose::pack::Packs {
        nilometer_frameworks::DIAGNOSE
    }

    fn lines(&mut self, file: &str) -> Vec<String> {
        if file == "/job/train.py" { self.0.lines().map(str::to_owned).collect() } else { Vec::new() }
    }
}

/// A deque or list that gets an element with each of fifteen epochs.
#[derive(Clone, Copy)]
struct Fills {
    element: i64,
    bound: Option<u64>,
    /// What else stays of an epoch.
    beside: i64,
    /// What the machine has available.
    available: i64,
    /// Epochs after which no element comes any more.
    ends: u64,
}

const FILLS: Fills = Fills { element: 300 * KIB, bound: None, beside: 0, available: 7168 * MIB, ends: 15 };

impl Fills {
    fn report(self, source: &str) -> Report {
        let mut w = started();
        w.limits(8192 * MIB, self.available);
        for epoch in 1..=15_u64 {
            let comes = if epoch <= self.ends { self.element } else { 0 };
            w.takes(comes + self.beside).objects(100).cycle(Epoch);
            let (kind, file) = ("list".to_owned(), "/job/train.py".to_owned());
            let (path, owner) = ("main(): replay.items[*]".to_owned(), "Replay".to_owned());
            let list = Holder { id: 1, path, owner, kind, file, bound: self.bound, ..Holder::default() };
            if epoch >= 7 && comes > 0 {
                w.scans_holder(list, epoch, epoch, self.element.unsigned_abs(), false);
            } else if epoch >= 7 {
                w.scans_nothing();
            }
        }
        w.ends(0);
        diagnose_with(&w.capture(), &mut Source(source))
    }
}

pub(crate) fn worlds(theme: &mut Theme) {
    for bound in [12, 16, 20, 40, 200, 310, 500, 850, 920, 100_000] {
        let fills = Fills { bound: Some(bound), ..FILLS };
        let truth = if bound < 100 { Truth::Healthy } else { Truth::Either };
        let name =
            format!("an element of 300 KiB an epoch, bound {bound}: about MAX_RUNS_TO_BOUND and SMALL_BYTES");
        theme.world(name, truth, fills.report(""));
    }
    for (bound, about) in [(20, "near"), (300, "within FAR"), (330, "beyond FAR")] {
        let fills = Fills { bound: Some(bound), element: 4 * MIB, ..FILLS };
        let name = format!("an element of 4 MiB an epoch, bound {bound}, {about}");
        theme.world(name, Truth::Either, fills.report(""));
    }
    for available in [100, 180, 220, 400] {
        let fills = Fills { bound: Some(40), element: 4 * MIB, available: available * MIB, ..FILLS };
        let name =
            format!("100 MiB until it is full, and {available} MiB are available: about MAX_OF_FREE_RATIO");
        theme.world(name, Truth::Either, fills.report(""));
    }
    for percent in [0, 3, 10, 18, 22, 27, 35, 60, 100, 300] {
        let beside = FILLS.element * percent / 100;
        let fills = Fills { bound: Some(40), beside, ..FILLS };
        let truth = if (1..30).contains(&percent) { Truth::Either } else { of(beside) };
        let name =
            format!("a deque fills, and {percent} % of what it gets grows beside it: about MAX_REST_RATIO");
        theme.world(name, truth, fills.report(""));
    }
    for ends in [8, 9, 10, 12, 14] {
        let fills = Fills { bound: Some(ends), ends, ..FILLS };
        theme.world(format!("a deque is full after {ends} of 15 epochs"), Truth::Healthy, fills.report(""));
    }
    for (bound, truth) in [
        ("9", Truth::Leak(300 * KIB)),
        ("15", Truth::Either),
        ("16", Truth::Healthy),
        ("40", Truth::Healthy),
        ("300", Truth::Either),
        ("1_000_000", Truth::Either),
        ("self.most", Truth::Either),
    ] {
        let source = format!(
            "class Replay:\n    def add(self, item):\n        self.items.append(item)\n        if len(self.items) > {bound}:\n            self.items.pop(0)\n"
        );
        theme.world(
            format!("a list that the program keeps at {bound}: about BEYOND_CYCLES"),
            truth,
            FILLS.report(&source),
        );
    }
    for (most, about) in
        [(3, "about PASSED_RATIO"), (4, "within PASSED_RATIO"), (20, "ahead"), (900, "far ahead")]
    {
        let source = format!(
            "class Replay:\n    def add(self, item):\n        self.items.append(item)\n        self.size += item.nbytes\n        while self.size > {}:\n            self.size -= self.items.pop(0).nbytes\n",
            most * MIB
        );
        let name = format!("a list that the program keeps at {most} MiB, {about}");
        theme.world(name, Truth::Either, FILLS.report(&source));
    }
    for (name, source) in [
        ("no bound", "class Replay:\n    def add(self, item):\n        self.items.append(item)\n"),
        (
            "the bound of another class",
            "class Replay:\n    def add(self, item):\n        self.items.append(item)\n\n\nclass Log:\n    def add(self, item):\n        self.items.append(item)\n        if len(self.items) > 40:\n            self.items.pop(0)\n",
        ),
        (
            "clear() each hundredth",
            "class Replay:\n    def add(self, item):\n        self.items.append(item)\n        if len(self.items) == 100:\n            self.items.clear()\n",
        ),
    ] {
        theme.world(format!("a list, in its source {name}"), Truth::Either, FILLS.report(source));
    }
}
