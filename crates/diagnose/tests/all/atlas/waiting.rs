//! Garbage that waits for the collector, and looks among young objects that tell some of it.
//!
//! In: bytes kept and bytes of garbage for each epoch, when looks came, what they saw. Out: rows. What must not happen here: another witness
//! of the garbage; `garbage.rs` has those.

use nilometer_capture::CycleUnit::Epoch;
use nilometer_diagnose::Report;

use super::table::{Theme, Truth, of};
use crate::world::{KIB, started};

const EPOCHS: i64 = 24;

/// A run whose garbage waits, and two looks behind one mark.
#[derive(Clone, Copy)]
struct Waits {
    keeps: i64,
    garbage: i64,
    looks: [i64; 2],
    /// Percent of the garbage that the looks tell, and of what they tell how much is young.
    told: i64,
    young: i64,
    full: Option<i64>,
    /// Percent of the bytes that Python's objects have; the rest is C++ objects'.
    python: i64,
    /// A collection of younger generations frees all that waits, after each so many epochs.
    freed_each: Option<i64>,
}

impl Waits {
    fn report(self) -> Report {
        let mut w = started();
        let mut waits = 0;
        for epoch in 1..=EPOCHS {
            w.takes(self.keeps + self.garbage).objects((self.garbage / 200) as u64);
            waits += self.garbage;
            if self.full == Some(epoch) {
                w.frees(2, (waits / 200) as u64, waits);
                waits = 0;
            }
            if self.freed_each.is_some_and(|epochs| epoch % epochs == 0) {
                w.frees(1, (waits / 200) as u64, waits);
                waits = 0;
            }
            w.cycle(Epoch);
            if self.looks.contains(&epoch) {
                let told = waits * self.told / 100;
                let bytes = told * self.python / 100;
                w.looks_at_waiting(1_000, told / 200, bytes, bytes * self.young / 100);
            }
        }
        w.report()
    }
}

pub(crate) fn worlds(theme: &mut Theme) {
    let usual = Waits {
        keeps: 0,
        garbage: 160 * KIB,
        looks: [5, 24],
        told: 100,
        young: 0,
        full: None,
        python: 100,
        freed_each: None,
    };
    for keeps in [0, 10, 20, 40, 60, 100, 400] {
        let name = format!("160 KiB of garbage an epoch, all told; keeps {keeps} KiB");
        theme.world(name, of(keeps * KIB), Waits { keeps: keeps * KIB, ..usual }.report());
    }
    for told in [0, 50, 80, 90, 95] {
        let name = format!("160 KiB of garbage an epoch, {told} % told");
        theme.world(name, Truth::Healthy, Waits { told, ..usual }.report());
    }
    for looks in [[5, 8], [5, 12], [5, 16], [5, 21], [5, 22], [12, 24], [16, 24], [17, 24], [20, 24]] {
        let name = format!(
            "160 KiB of garbage an epoch, told at {} and {}: about MIN_COVERED_RATIO and MAX_UNSEEN_RATIO",
            looks[0], looks[1]
        );
        theme.world(name, Truth::Healthy, Waits { looks, ..usual }.report());
    }
    for (young, looks) in [(50, [5, 24]), (50, [5, 22]), (50, [5, 20]), (100, [5, 20])] {
        let name = format!(
            "160 KiB of garbage an epoch, told at {} and {}, {young} % of it young",
            looks[0], looks[1]
        );
        theme.world(name, Truth::Healthy, Waits { looks, young, ..usual }.report());
    }
    for (keeps, python) in [(0, 100), (0, 12), (100, 100), (100, 12), (400, 12)] {
        let name = format!(
            "160 KiB of young garbage an epoch, {python} % of it Python's, freed at 12 and 24; keeps {keeps} KiB"
        );
        let freed = Waits { python, young: 100, looks: [11, 24], freed_each: Some(12), ..usual };
        theme.world(name, of(keeps * KIB), Waits { keeps: keeps * KIB, ..freed }.report());
    }
    for full in [3, 10, 23] {
        let name = format!("160 KiB of garbage an epoch, told at 5 and 22, a full collection at {full}");
        theme.world(name, Truth::Healthy, Waits { full: Some(full), looks: [5, 22], ..usual }.report());
    }
}
