//! Containers that are seen to grow, where the growth that counters show may be garbage.
//!
//! In: what scans tell of a container. Out: rows. What must not happen here: an exit collection, which would say what was garbage.

use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::{Grown, Holder};
use nilometer_diagnose::Report;

use super::table::{Theme, Truth};
use crate::world::{KIB, World, started};

pub(crate) const USERS: &str = "/job/train.py";
const LIBRARYS: &str = "/v/lib/python3.11/site-packages/tensorflow/python/autograph/cache.py";

/// What scans tell of a list.
#[derive(Clone)]
pub(crate) struct Told {
    pub(crate) file: &'static str,
    /// Of an element.
    pub(crate) bytes: u64,
    pub(crate) native: bool,
    pub(crate) partial: bool,
    pub(crate) shared: bool,
    pub(crate) bound: Option<u64>,
}

pub(crate) const LIST: Told =
    Told { file: USERS, bytes: 290 << 10, native: false, partial: false, shared: false, bound: None };

impl Told {
    /// A scan sees it with this length after this cycle, so many elements of which are new since the scan before.
    pub(crate) fn is_seen(&self, w: &mut World, cycle: u64, length: u64, new: u64) {
        let (path, kind) = ("main(): loaded[*]".to_owned(), "list".to_owned());
        let (file, bound) = (self.file.to_owned(), self.bound);
        let Told { bytes, native, partial, shared, .. } = *self;
        let bytes = bytes * new;
        let grown = Grown { cycle, length, bytes, new, native, partial, shared, ..Grown::default() };
        w.scans_grown(Holder { id: 1, path, kind, file, bound, ..Holder::default() }, grown);
    }
}

/// Twenty epochs that keep 300 KiB each, all of which may be garbage; the list is told of after some, other scans see nothing.
fn open(told: &Told, at: &[u64], scans: &[u64]) -> Report {
    let mut w = started();
    w.fact("cwd", "/job");
    let mut told_at = None;
    for epoch in 1..=20 {
        w.takes(300 * KIB).objects(20_000).cycle(Epoch);
        if at.contains(&epoch) {
            told.is_seen(&mut w, epoch, epoch, epoch - told_at.unwrap_or(epoch - 1));
            told_at = Some(epoch);
        } else if scans.contains(&epoch) {
            w.scans_nothing();
        }
    }
    w.report_with_names()
}

fn from_to(from: u64, to: u64) -> Vec<u64> {
    (from..=to).collect()
}

pub(crate) fn worlds(theme: &mut Theme) {
    for kib in [0, 10, 60, 80, 100, 140, 160, 230, 250, 300, 400, 500, 900] {
        let told = Told { bytes: kib << 10, ..LIST };
        let truth = if (100..=300).contains(&kib) { Truth::Leak(300 * KIB) } else { Truth::Either };
        let name = format!(
            "300 KiB an epoch may be garbage, a list gets {kib} KiB: about MIN_CARRIED_RATIO, SCAN_ERROR_RATIO, MAX_CARRIED_RATIO"
        );
        theme.world(name, truth, open(&told, &from_to(7, 20), &[]));
    }
    for (name, at, scans) in [
        ("told of once", vec![19], from_to(7, 20)),
        ("told of twice, MIN_TOLD", vec![14, 20], vec![8]),
        ("told of until epoch 13, before LATE_RATIO", from_to(7, 13), from_to(14, 20)),
        ("told of until epoch 14, about LATE_RATIO", from_to(7, 14), from_to(15, 20)),
        ("told of until epoch 17, after LATE_RATIO", from_to(7, 17), from_to(18, 20)),
        ("told of until epoch 13, and no scan after", from_to(7, 13), vec![]),
        ("told of until epoch 9, and no scan after", from_to(7, 9), vec![]),
        ("told of for the last 2 epochs, less than MIN_WATCHED_RATIO", vec![19, 20], vec![18]),
        ("told of for the last 4 epochs, about MIN_WATCHED_RATIO", from_to(17, 20), vec![16]),
        ("told of for the last 6 epochs, MIN_WATCHED_CYCLES", from_to(15, 20), vec![14]),
        ("told of every fourth epoch", vec![8, 12, 16, 20], vec![4]),
    ] {
        for kib in [120, 290] {
            let told = Told { bytes: kib << 10, ..LIST };
            let name = format!("a list that gets {kib} of 300 KiB an epoch is {name}");
            theme.world(name, Truth::Either, open(&told, &at, &scans));
        }
    }
    for (name, told) in [
        ("of a library", Told { file: LIBRARYS, ..LIST }),
        ("that shares its elements", Told { shared: true, ..LIST }),
        ("weighed in part", Told { bytes: 200 << 10, partial: true, ..LIST }),
        ("weighed in part, little", Told { bytes: 900, partial: true, ..LIST }),
        ("of native things", Told { bytes: 200 << 10, native: true, ..LIST }),
        ("of native things, 900 B each", Told { bytes: 900, native: true, ..LIST }),
        ("of native things, 300 B each, below UNSEEN_HEAVY", Told { bytes: 300, native: true, ..LIST }),
        ("with a bound of 25, near", Told { bound: Some(25), ..LIST }),
        ("with a bound of 400, about MAX_RUNS_TO_BOUND", Told { bound: Some(400), ..LIST }),
        ("with a bound of 600, beyond FAR", Told { bound: Some(600), ..LIST }),
        ("with a bound of a million", Told { bound: Some(1_000_000), ..LIST }),
    ] {
        theme.world(
            format!("300 KiB an epoch may be garbage, a list {name} grows"),
            Truth::Either,
            open(&told, &from_to(7, 20), &[]),
        );
    }
    for (name, is_pruned) in [("every epoch", 1), ("every second epoch", 2), ("every fifth epoch", 5)] {
        let mut w = started();
        w.fact("cwd", "/job");
        for epoch in 1..=20_u64 {
            let falls = epoch > 6 && epoch % is_pruned == 0;
            w.takes(if falls { -100 * KIB } else { 300 * KIB }).objects(2000).cycle(Epoch);
            if epoch >= 7 {
                Told { bytes: 100 << 10, ..LIST }.is_seen(&mut w, epoch, if falls { 3 } else { epoch }, 1);
            }
        }
        theme.world(format!("a dict that is pruned {name}"), Truth::Either, w.report_with_names());
    }
}
