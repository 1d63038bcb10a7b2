//! Sawteeth: garbage that collections take back again and again, beside what stays.
//!
//! In: how often collections come, of which generation, what they leave. Out: rows. What must not happen here: a cycle that makes more
//! garbage than another.

use nilometer_capture::CycleUnit::{self, Epoch, Predict, Step};
use nilometer_diagnose::Report;

use super::table::{Theme, of};
use crate::world::{KIB, MIB, World, started};

/// Garbage that collections of this generation take back every so many cycles, but for what is in use then.
#[derive(Clone, Copy)]
struct Teeth {
    unit: CycleUnit,
    cycles: i64,
    keeps: i64,
    garbage: i64,
    every: i64,
    first: i64,
    generation: usize,
    /// Cycles whose garbage a collection leaves for the next full one.
    leaves: i64,
    /// Bytes of an object.
    weight: i64,
}

const EPOCHS: Teeth = Teeth {
    unit: Epoch,
    cycles: 36,
    keeps: 0,
    garbage: 200 * KIB,
    every: 6,
    first: 5,
    generation: 1,
    leaves: 0,
    weight: 250,
};

impl Teeth {
    /// Tells what waits for the exit collection.
    fn lives(self, w: &mut World) -> i64 {
        let (mut waits, mut old) = (0, 0);
        for cycle in 1..=self.cycles {
            w.takes(self.keeps + self.garbage).objects((self.garbage / self.weight) as u64);
            waits += self.garbage;
            if cycle >= self.first && (cycle - self.first) % self.every == 0 {
                let left = (self.leaves * self.garbage).min(waits);
                let freed = waits - left + if self.generation == 2 { old } else { 0 };
                w.frees(self.generation, (freed / self.weight) as u64, freed);
                old = if self.generation == 2 { left } else { old + left };
                waits = 0;
            }
            w.cycle(self.unit);
        }
        waits + old
    }

    fn is_killed(self) -> Report {
        let mut w = started();
        self.lives(&mut w);
        w.report()
    }

    /// Its report after an exit at which the program's function has returned, with what it held, or holds all of it still.
    fn ends(self, returns: bool) -> Report {
        let mut w = started();
        let garbage = self.lives(&mut w);
        let held = if returns { self.keeps * self.cycles + MIB } else { 0 };
        // What main() held is heavy.
        w.ends_with(2000 + (garbage / self.weight) as u64, garbage + held);
        w.report()
    }
}

pub(crate) fn worlds(theme: &mut Theme) {
    for every in [1, 2, 3, 5, 9, 16] {
        for keeps in [0, 60, 300] {
            let teeth = Teeth { every, keeps: keeps * KIB, ..EPOCHS };
            let name = format!("a middle collection each {every} of 36 epochs, keeps {keeps} KiB");
            theme.world(name, of(keeps * KIB), teeth.ends(false));
        }
    }
    for leaves in [1, 2, 3, 5] {
        for keeps in [0, 60, 300] {
            let teeth = Teeth { leaves, keeps: keeps * KIB, ..EPOCHS };
            let name =
                format!("collections leave the garbage of {leaves} epochs, keep {keeps} KiB: about IN_USE");
            theme.world(name, of(keeps * KIB), teeth.ends(false));
        }
    }
    for keeps in [0, 30, 100, 400] {
        let teeth = Teeth { leaves: 1, keeps: keeps * KIB, ..EPOCHS };
        let truth = of(keeps * KIB);
        theme.world(format!("teeth and {keeps} KiB that main() held"), truth, teeth.ends(true));
        theme.world(format!("teeth and {keeps} KiB, killed"), truth, teeth.is_killed());
        let full = Teeth { generation: 2, ..teeth };
        theme.world(format!("teeth of full collections and {keeps} KiB"), truth, full.is_killed());
    }
    for (name, cycles, every, first) in [
        ("2 teeth, fewer than LEAST_TEETH", 24, 10, 8),
        ("3 teeth, LEAST_TEETH", 24, 7, 6),
        ("4 teeth, more than LEAST_TEETH", 24, 5, 6),
        ("a tooth at epoch 13 of 16", 16, 20, 13),
        ("teeth in 9 epochs, LEAST_POINTS of sawtooth.rs", 10, 2, 3),
        ("teeth in 7 epochs, fewer than LEAST_POINTS of sawtooth.rs", 8, 2, 3),
    ] {
        for keeps in [0, 100] {
            let teeth = Teeth { cycles, every, first, keeps: keeps * KIB, leaves: 1, ..EPOCHS };
            theme.world(format!("{name}; keeps {keeps} KiB"), of(keeps * KIB), teeth.ends(true));
        }
    }
    for weight in [64, 4000, 100_000] {
        for keeps in [0, 100] {
            let teeth = Teeth { weight, keeps: keeps * KIB, leaves: 1, ..EPOCHS };
            let name = format!("teeth of {weight} bytes an object, keep {keeps} KiB");
            theme.world(name, of(keeps * KIB), teeth.ends(true));
        }
    }
    for (name, unit, cycles, garbage, every, first) in [
        ("models in use", Step, 40, 2360, 6, 8),
        ("requests in use", Predict, 96, 187, 12, 4),
        ("requests, seldom collected", Predict, 60, 187, 24, 10),
    ] {
        for keeps in [0, 40, 90] {
            let (keeps, garbage) = (keeps * KIB, garbage * KIB);
            let teeth =
                Teeth { unit, cycles, garbage, every, first, keeps, leaves: 1, weight: 600, ..EPOCHS };
            let name = format!("{name}, while collections run; keep {} KiB", keeps / KIB);
            theme.world(name, of(keeps), teeth.ends(true));
        }
    }
    for (name, explained) in [("1/10", 20), ("as much as", 200), ("3 times", 600)] {
        let mut w = started();
        for epoch in 1..=36_i64 {
            let breath = [explained, -explained, 0, explained, -explained, 0, 0][epoch as usize % 7] * KIB;
            w.takes(200 * KIB + breath).objects(800);
            if epoch % 6 == 5 {
                w.frees(1, 4800, 1200 * KIB);
            }
            w.cycle(Epoch);
        }
        let name = format!("teeth in a breath of {name} the garbage of an epoch: about MAX_RESIDUAL_RATIO");
        theme.world(name, of(0), w.ends(400 * KIB).report());
    }
}
