//! What samples add: a line that keeps memory in a program whose live memory moves by more than that.
//!
//! In: the blocks that a line makes in each cycle, how coarsely they are sampled, what the counters see. Out: rows. What must not
//! happen here: memory that is given back; `births.rs` has that.

use nilometer_capture::CycleUnit::{self, Epoch, Request, Step};
use nilometer_diagnose::Report;

use super::table::{Theme, Truth, of};
use crate::world::{KIB, MIB, Noise, started};

pub(crate) const FIT: &str = "/job/train.py:60 <module>";
pub(crate) const KERAS: &str = "/v/lib/python3.11/site-packages/keras/src/trainer.py:300 Trainer.fit";
pub(crate) const CALLBACK: &str = "/job/train.py:30 Keep.on_epoch_end";
/// A line of the user's own, and one deep in a library that it calls.
pub(crate) const OWN: &[&str] = &[FIT, KERAS, CALLBACK];
pub(crate) const LIBRARY: &[&str] = &[FIT, KERAS, KERAS, KERAS];

/// A line that makes blocks.
#[derive(Clone, Copy)]
struct Line {
    unit: CycleUnit,
    cycles: u64,
    stack: &'static [&'static str],
    mean: u64,
    size: u64,
    /// Up and down of live memory besides.
    noise: i64,
    /// What else each cycle keeps, or gives back.
    beside: i64,
}

const LINE: Line =
    Line { unit: Epoch, cycles: 20, stack: OWN, mean: 1 << 10, size: 4 << 10, noise: 200 * KIB, beside: 0 };

impl Line {
    /// Of so many blocks in each cycle.
    fn makes(self, blocks: impl Fn(u64) -> u64) -> Report {
        let mut noise = Noise(91);
        let mut w = started();
        w.fact("cwd", "/job").records(self.mean, 7);
        let stack = w.stack(self.stack);
        let mut level = 0;
        for cycle in 1..=self.cycles {
            w.makes(stack, self.size, blocks(cycle));
            let now = noise.bytes(self.noise);
            w.takes(self.beside + now - level).objects(20).cycle(self.unit);
            level = now;
        }
        w.ends(0);
        w.report_with_names()
    }
}

pub(crate) fn worlds(theme: &mut Theme) {
    for count in 1..=6_u64 {
        // Evenly from the fourth epoch to the eighteenth.
        let is_at = |epoch| (0..count).any(|nth| epoch == 4 + nth * 14 / (count - 1).max(1));
        let line = Line { size: 256 << 10, ..LINE };
        let name = format!(
            "a line that keeps 256 KiB in {count} of 20 epochs: about MIN_BIRTH_CYCLES and MIN_SPEAKING_CYCLES"
        );
        theme.world(name, Truth::Either, line.makes(|epoch| u64::from(is_at(epoch))));
    }
    for (stack, who) in [(OWN, "a line of the user's"), (LIBRARY, "a library's line")] {
        for bytes in [0_u64, 2, 3, 5, 7, 12, 15, 18, 24, 48] {
            let line = Line { stack, size: 512, ..LINE };
            let least = if who.starts_with("a line") { 4 } else { 16 };
            let truth =
                if bytes > 0 && bytes < least { Truth::Either } else { of(bytes.cast_signed() * KIB) };
            let name =
                format!("{who} keeps {bytes} KiB an epoch: about OWN_FLOOR_RATIO of the sites and the floor");
            theme.world(name, truth, line.makes(|_| 2 * bytes));
        }
    }
    for (name, unit, cycles, size) in [
        ("20 requests that keep 700 B: 13.7 KiB, below MIN_KEPT_BYTES", Request, 20, 700),
        ("32 requests that keep 700 B: 21.9 KiB, above MIN_KEPT_BYTES", Request, 32, 700),
        ("60 steps that keep 250 B: 14.6 KiB, below MIN_KEPT_BYTES", Step, 60, 250),
        ("90 steps that keep 250 B: 22.0 KiB, above MIN_KEPT_BYTES", Step, 90, 250),
    ] {
        let line = Line { unit, cycles, size, mean: 50, ..LINE };
        theme.world(name, Truth::Either, line.makes(|_| 1));
    }
    for samples in [3, 5, 7, 10, 14, 18, 24, 40, 80] {
        let mean = ((20 * 48) << 10) / samples;
        let line = Line { size: 1 << 10, mean, noise: 1200 * KIB, ..LINE };
        let name = format!(
            "48 KiB an epoch, some {samples} samples in all: about MAX_ERROR_RATIO and MAX_ERROR_ALONE_RATIO"
        );
        theme.world(name, Truth::Leak(48 * KIB), line.makes(|_| 48));
        let line = Line { beside: 2 * MIB, ..line };
        let name = format!("2 MiB an epoch, 48 KiB of it in some {samples} samples: about MAX_ERROR_RATIO");
        theme.world(name, Truth::Leak(2 * MIB + 48 * KIB), line.makes(|_| 48));
    }
    for cycles in [4, 5, 6, 7, 8] {
        let line = Line { cycles, size: 64 << 10, noise: 20 * KIB, ..LINE };
        let name = format!("a line that keeps 64 KiB in {cycles} epochs: about MIN_LIKELY_CYCLES");
        theme.world(name, Truth::Leak(64 * KIB), line.makes(|_| 1));
    }
    for beside in [-64, -40, -20, 0, 100] {
        let line = Line { size: 64 << 10, noise: 4 * KIB, beside: beside * KIB, ..LINE };
        let name =
            format!("a line keeps 64 KiB an epoch, and {beside} KiB come besides: sites against counters");
        let truth = if beside < 0 { Truth::Either } else { of((64 + beside) * KIB) };
        theme.world(name, truth, line.makes(|_| 1));
    }
    for (seen, late) in
        [(80, 100), (80, 60), (80, 40), (80, 20), (80, 0), (50, 0), (55, 0), (60, 0), (65, 0), (70, 0)]
    {
        let line = Line { size: 10 << 10, noise: 2 * KIB, beside: (100 - seen) * 10 * KIB, ..LINE };
        let blocks = |epoch: u64| seen.unsigned_abs() * if epoch > 13 { late } else { 100 } / 100;
        let name = format!(
            "samples see {seen} % of 1 MiB an epoch, of which {late} % go on in the last third: about COVERED_RATIO and OVER_RATIO"
        );
        theme.world(name, Truth::Either, line.makes(blocks));
    }
    for (noise, keeps) in [(50, 8_u64), (50, 40), (1000, 8), (1000, 40), (1000, 200), (8000, 200)] {
        let line = Line { size: 1 << 10, noise: noise * KIB, ..LINE };
        let name = format!("a line keeps {keeps} KiB an epoch in noise of {noise} KiB");
        theme.world(name, Truth::Leak(keeps.cast_signed() * KIB), line.makes(|_| keeps));
    }
}
