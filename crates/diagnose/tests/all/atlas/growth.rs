//! Plain growth, in every unit: about the floor, about the least rise, and about the least number of cycles.
//!
//! In: a unit, a number of cycles, bytes for each. Out: rows. What must not happen here: noise; each cycle is like the other.

use nilometer_capture::CycleUnit::{
    self, Call, Cell, Check, Epoch, Fit, Pass, Predict, Request, Served, Step, Task,
};
use nilometer_capture::CycleUnit::{Trial, Update};
use nilometer_capture::{Found, Moment};
use nilometer_diagnose::Report;

use super::table::{Theme, Truth, of};
use crate::world::{KIB, MIB, World, started};

/// What is counted, and how.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    Marked(CycleUnit),
    /// Found in the program, by this description, of turns that take a second.
    Found(u8, &'static str),
    /// Nothing is marked.
    Window,
}

use Unit::{Marked, Window};

const LINE: Unit = Unit::Found(0, "line:round #/# spread #");
const LOOP: Unit = Unit::Found(40, "loop:train.py:20 <module>");

/// So many cycles that keep `each`, of which every `read`-th is read.
pub(crate) fn grows(unit: Unit, cycles: u64, read: u64, each: i64) -> Report {
    let mut w = if matches!(unit, Marked(_)) { started() } else { World::new() };
    let marks = match unit {
        Marked(unit) => unit,
        Unit::Found(place, description) => {
            let found = Found::new(place).unwrap();
            w.takes(40 * MIB).objects(5000).fact(&found.fact(), description);
            CycleUnit::Found(found)
        }
        Window => {
            for _ in 0..4 * cycles {
                w.passes(0.25).takes(each / 4).objects(3).reads(Moment::Tick);
            }
            return w.ends(0).report();
        }
    };
    for cycle in 1..=cycles {
        w.takes(each).objects(3);
        if cycle % read == 0 || cycle < read {
            w.cycle(marks);
        } else {
            w.unread_cycles(marks, 1);
        }
    }
    w.ends(0).report()
}

pub(crate) fn worlds(theme: &mut Theme) {
    for (name, unit, floor, cycles, read) in [
        ("epochs", Marked(Epoch), 16 * KIB, 30, 1),
        ("fits", Marked(Fit), 16 * KIB, 30, 1),
        ("trials", Marked(Trial), 16 * KIB, 30, 1),
        ("cells", Marked(Cell), 16 * KIB, 30, 1),
        ("passes", Marked(Pass), 16 * KIB, 30, 1),
        ("predicts", Marked(Predict), 2 * KIB, 200, 2),
        ("requests", Marked(Request), 2 * KIB, 200, 2),
        ("requests served", Marked(Served), 2 * KIB, 200, 2),
        ("tasks", Marked(Task), 2 * KIB, 200, 2),
        ("steps", Marked(Step), 256, 1500, 15),
        ("calls", Marked(Call), 256, 1500, 15),
        ("updates", Marked(Update), 256, 1500, 15),
        ("checked calls", Marked(Check), 64, 200, 4),
        ("printed lines", LINE, 4 * KIB, 100, 1),
        ("turns of a loop", LOOP, 4 * KIB, 100, 1),
        ("windows", Window, 4 * KIB, 100, 1),
    ] {
        for (tenths, truth) in [(0, false), (9, false), (12, true), (80, true)] {
            // Four readings share a window.
            let each = floor * tenths / 10 / 4 * 4;
            let truth = if truth || each == 0 { of(each) } else { Truth::Either };
            let name = format!("{cycles} {name}, {}.{} of the floor", tenths / 10, tenths % 10);
            theme.world(name, truth, grows(unit, cycles, read, each));
        }
    }
    for (name, unit, cycles, read, each) in [
        ("18 epochs of 16.5 KiB: rise 248 KiB, below MIN_RISE_BYTES", Epoch, 18, 1, 16_896),
        ("18 epochs of 18 KiB: rise 270 KiB, above MIN_RISE_BYTES", Epoch, 18, 1, 18 * KIB),
        ("8 epochs of 50 KiB: rise 250 KiB, below MIN_RISE_BYTES", Epoch, 8, 1, 50 * KIB),
        ("8 epochs of 53 KiB: rise 265 KiB, above MIN_RISE_BYTES", Epoch, 8, 1, 53 * KIB),
        ("400 steps of 600 B: rise 233 KiB, below MIN_RISE_BYTES", Step, 400, 4, 600),
        ("500 steps of 600 B: rise 291 KiB, above MIN_RISE_BYTES", Step, 500, 5, 600),
        ("38 checked calls of 100 B: rise 3.6 KiB, below MIN_CHECKED_RISE_BYTES", Check, 38, 1, 100),
        ("46 checked calls of 100 B: rise 4.3 KiB, above MIN_CHECKED_RISE_BYTES", Check, 46, 1, 100),
        ("60 requests of 4 KiB: rise 228 KiB, below MIN_RISE_BYTES", Request, 60, 1, 4 * KIB),
        ("60 requests of 5 KiB: rise 285 KiB, above MIN_RISE_BYTES", Request, 60, 1, 5 * KIB),
    ] {
        let truth = if name.contains("above") { Truth::Leak(each) } else { Truth::Either };
        theme.world(name, truth, grows(Marked(unit), cycles, read, each));
    }
    for (name, unit, cycles, each) in [
        ("28,000 requests served of 500 B: rise 13.4 MiB, below REQUESTS_RISE_BYTES", Served, 28_000, 500),
        ("40,000 requests served of 500 B: rise 19.1 MiB, above REQUESTS_RISE_BYTES", Served, 40_000, 500),
        ("40,000 tasks of 500 B: rise 19.1 MiB, above REQUESTS_RISE_BYTES", Task, 40_000, 500),
        ("90,000 requests of 200 B: rise 17.2 MiB, below CALL_FLOOR_BYTES", Request, 90_000, 200),
        ("90,000 requests of 0 B", Request, 90_000, 0),
        ("40,000 predicts of 500 B: rise 19.1 MiB, whose floor is fixed", Predict, 40_000, 500),
    ] {
        let truth = if name.contains("above") || each == 0 { of(each) } else { Truth::Either };
        theme.world(name, truth, grows(Marked(unit), cycles, cycles / 200, each));
    }
    for cycles in 1..=10 {
        for (each, what) in [(0, "nothing"), (MIB, "1 MiB")] {
            let name = format!("{cycles} epochs of {what}, about MIN_POINTS + 2");
            theme.world(name, of(each), grows(Marked(Epoch), cycles, 1, each));
        }
    }
    for seconds in [6, 7, 8, 9, 12] {
        for (each, what) in [(0, "nothing"), (256 * KIB, "256 KiB")] {
            let name = format!("windows of {what} a second for {seconds} s, about SHORT_WORK_NS");
            let truth = of(if seconds >= 7 { each / 2 } else { each });
            theme.world(name, truth, grows(Window, seconds, 1, each));
        }
    }
}
