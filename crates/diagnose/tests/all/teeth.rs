//! A sawtooth bounds what grows: by what collections leave, and no further; amounts as measured on Keras programs.

use crate::world::{KIB, World, started};
use nilometer_capture::CycleUnit::{Epoch, Predict, Step};
use nilometer_capture::{CycleUnit, Holder, Moment};
use nilometer_diagnose::{Report, Verdict};

/// What each cycle keeps, and what garbage it leaves; collections come every so many cycles and leave the garbage of the one that
/// runs. At the end functions return, and the collection at exit takes garbage and what was kept.
struct Teeth {
    unit: CycleUnit,
    cycles: i64,
    keeps: i64,
    garbage: i64,
    every: i64,
    first: i64,
}

impl Teeth {
    /// Tells the bytes of garbage that is left.
    fn lives(&self, w: &mut World) -> i64 {
        let (mut waits, mut old) = (0, 0);
        for cycle in 1..=self.cycles {
            w.takes(self.keeps + self.garbage).objects(1400);
            if cycle >= self.first && (cycle - self.first) % self.every == 0 {
                w.frees(1, (waits / 600) as u64, waits);
                waits = 0;
                old += self.garbage;
            } else {
                waits += self.garbage;
            }
            w.cycle(self.unit);
        }
        old + waits
    }

    /// The report after `main()` has returned, whose model was a web of cycles that held all of it.
    fn report(&self) -> Report {
        let mut w = started();
        let garbage = self.lives(&mut w);
        let freed = garbage + self.keeps * self.cycles + 1000 * KIB;
        w.takes(-1470 * KIB).ends_with(2000 + (garbage / 600) as u64, freed);
        w.report()
    }
}

#[test]
fn what_two_collections_left_is_not_called_garbage() {
    let handlers =
        Teeth { unit: Epoch, cycles: 14, keeps: 218 * KIB, garbage: 190 * KIB, every: 6, first: 6 };
    let writers =
        Teeth { unit: Epoch, cycles: 24, keeps: 140 * KIB, garbage: 155 * KIB, every: 10, first: 9 };
    for teeth in [handlers, writers] {
        let report = teeth.report();
        assert_ne!(report.verdict, Verdict::NoLeak, "{} {:?}", report.reason, report.growth);
        assert!(report.growth.unwrap().bytes_per_cycle.high >= teeth.keeps);
    }
}

#[test]
fn one_collection_that_takes_the_rise_back_bounds_it() {
    let latents = Teeth { unit: Epoch, cycles: 16, keeps: 2 * KIB, garbage: 172 * KIB, every: 20, first: 13 };
    let report = latents.report();
    assert_eq!(report.verdict, Verdict::NoLeak, "{} {:?}", report.reason, report.growth);
    assert!(report.growth.unwrap().bytes_per_cycle.high < 100 * KIB);
}

#[test]
fn what_is_in_use_while_collections_run_is_no_growth() {
    let models = Teeth { unit: Step, cycles: 40, keeps: 0, garbage: 2360 * KIB, every: 6, first: 8 };
    let requests = Teeth { unit: Predict, cycles: 150, keeps: 0, garbage: 187 * KIB, every: 12, first: 4 };
    for teeth in [models, requests] {
        let report = teeth.report();
        assert_eq!(report.verdict, Verdict::NoLeak, "{} {:?}", report.reason, report.growth);
    }
}

#[test]
fn a_sawtooth_does_not_hide_a_level() {
    // What a `predict` per cycle leaves, in a program of which every fifth cycle could be read.
    let mut w = started();
    let (mut waits, mut old) = (0, 0);
    for cycle in 1..=120_u64 {
        w.takes(187 * KIB).objects(700);
        if cycle % 12 == 4 {
            w.frees(1, (waits / 600) as u64, waits);
            (waits, old) = (0, old + 187 * KIB);
        } else {
            waits += 187 * KIB;
        }
        if cycle % 5 == 0 || cycle < 5 {
            w.cycle(Predict);
        } else {
            w.unread_cycles(Predict, 1);
        }
    }
    w.ends_with(((waits + old) / 600) as u64, waits + old);
    let report = w.report();
    assert_eq!(report.verdict, Verdict::NoLeak, "{} {:?}", report.reason, report.growth);
}

#[test]
fn garbage_that_dies_young_does_not_hide_a_level() {
    // Questions to a model whose weights are loaded anew: three of them make the containers of a collection, and each fifth is read.
    let report = |keeps: i64| {
        let mut w = started();
        // What start-up left of the collector's count.
        let (mut young, mut waits) = (60_000 % 700, 0);
        for step in 1..=200_i64 {
            let made = 210 + step * 7919 % 60;
            w.takes(400 * made + keeps).objects(made as u64);
            (young, waits) = (young + made, waits + 400 * made);
            if young > 700 {
                young -= 700;
                w.takes(400 * young - waits);
                waits = 400 * young;
            }
            if step % 5 == 0 || step < 5 {
                w.cycle(Step);
            } else {
                w.unread_cycles(Step, 1);
            }
        }
        w.ends_with((waits / 400) as u64, waits);
        w.report()
    };
    let level = report(0);
    assert_eq!(level.verdict, Verdict::NoLeak, "{} {:?}", level.reason, level.growth);
    let most = level.growth.unwrap().bytes_per_cycle.high;
    assert!(most < 100, "{most}: {}", level.reason);
    let leak = report(2000);
    assert_ne!(leak.verdict, Verdict::NoLeak, "{} {:?}", leak.reason, leak.growth);
    assert!(leak.growth.unwrap().bytes_per_cycle.high >= 2000);
}

#[test]
fn a_leak_beside_a_sawtooth_is_not_hidden_by_it() {
    for keeps in [40 * KIB, 90 * KIB] {
        let teeth = Teeth { unit: Predict, cycles: 150, keeps, garbage: 187 * KIB, every: 12, first: 4 };
        let report = teeth.report();
        assert_ne!(report.verdict, Verdict::NoLeak, "{} {:?}", report.reason, report.growth);
        assert!(report.growth.unwrap().bytes_per_cycle.high >= keeps);
    }
}

#[test]
fn what_c_keeps_is_not_taken_for_what_collections_left() {
    // A `fit` and a `predict` per cycle beside a database in memory: a sixth of the garbage is in use when a collection comes.
    let (keeps, garbage, blocks) = (73 * KIB, 370 * KIB, 1650);
    let estimate = |counts_blocks: bool| {
        let mut w = started();
        let (mut waits, mut old) = (0, 0);
        for cycle in 1..=30 {
            w.takes(keeps + garbage).objects(1400);
            waits += 1;
            if counts_blocks {
                w.takes_blocks(blocks);
            }
            if cycle % 6 == 1 {
                let taken = 5 * waits * garbage / 6;
                w.frees(1, (taken / 540) as u64, taken);
                if counts_blocks {
                    w.takes_blocks(-5 * waits * blocks / 6);
                }
                (waits, old) = (0, old + waits * garbage - taken);
            }
            w.cycle(Epoch);
        }
        let waits = old + waits * garbage;
        w.ends_with(2000 + (waits / 540) as u64, waits + 1000 * KIB);
        w.report().growth.unwrap().bytes_per_cycle.estimate
    };
    let (with, without) = (estimate(true), estimate(false));
    assert!((with - keeps).abs() < 12 * KIB, "{with}");
    assert!((without - keeps).abs() > 24 * KIB, "the blocks are what tells it: {without}");
}

/// Thirty cycles of garbage, taken back every seven cycles but for what was in use then, and so much kept that outlives the program's end.
fn outlives(keeps: i64, scan: impl Fn(&mut World, u64)) -> Report {
    let mut w = started();
    w.fact("cwd", "/job");
    let (mut waits, mut old) = (0, 0);
    for cycle in 1..=30 {
        w.takes(keeps + 370 * KIB).objects(1400);
        waits += 370 * KIB;
        if cycle % 7 == 2 {
            let taken = waits - 370 * KIB;
            w.frees(1, (taken / 540) as u64, taken);
            (waits, old) = (0, old + waits - taken);
        }
        w.cycle(Epoch);
        scan(&mut w, cycle as u64);
    }
    w.ends_with(2000 + ((waits + old) / 540) as u64, waits + old + 900 * KIB);
    w.report_with_names()
}

#[test]
fn no_more_passes_for_old_garbage_than_the_exit_collection_frees_of_it() {
    let level = outlives(0, |_, _| ());
    assert_eq!(level.verdict, Verdict::NoLeak, "{} {:?}", level.reason, level.growth);
    let leak = outlives(80 * KIB, |_, _| ());
    assert_eq!(leak.verdict, Verdict::Undecided, "{} {:?}", leak.reason, leak.growth);
    let rate = leak.growth.unwrap().bytes_per_cycle;
    assert!(rate.low <= 80 * KIB && rate.high >= 80 * KIB, "{rate:?}");
}

#[test]
fn a_container_that_was_seen_to_grow_settles_it() {
    let seen = outlives(73 * KIB, |w, cycle| {
        let (path, file) = ("pages[*]".to_owned(), "/job/train.py".to_owned());
        let holder = Holder { id: 1, path, kind: "list".to_owned(), file, ..Holder::default() };
        w.scans_holder(holder, cycle, cycle, 73 << 10, false);
    });
    let rate = seen.growth.unwrap().bytes_per_cycle;
    assert_eq!((seen.verdict, rate.estimate), (Verdict::Leak, 73 * KIB), "{} {rate:?}", seen.reason);
}

#[test]
fn a_collection_in_the_late_part_is_no_end_of_a_rise() {
    let mut w = started();
    Teeth { unit: Epoch, cycles: 24, keeps: 400 * KIB, garbage: 300 * KIB, every: 30, first: 20 }
        .lives(&mut w);
    w.reads(Moment::BeforeExit);
    let report = w.report();
    assert_ne!(report.verdict, Verdict::NoLeak, "{} {:?}", report.reason, report.growth);
}
