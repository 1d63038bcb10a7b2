//! Batches in flight at the ends of cycles, which the recorder sees go, beside what stays.
//!
//! In: batches, how they are sampled, what stays. Out: rows. What must not happen here: a batch that stays, but where a queue piles up.

use std::collections::VecDeque;

use nilometer_capture::CycleUnit::Epoch;
use nilometer_diagnose::Report;

use super::table::{Theme, Truth, of};
use crate::world::recorder::Made;
use crate::world::{KIB, Noise, World, started};

/// Epochs that each end with some batches in flight.
#[derive(Clone, Copy)]
struct Pipeline {
    batch: u64,
    mean: u64,
    epochs: u64,
    /// The number of batches that may be in flight, before an epoch and from it on.
    most: [u64; 2],
    changes: u64,
    /// Epochs before which batches have another size.
    other_size_until: u64,
    freed: i64,
}

const PIPELINE: Pipeline = Pipeline {
    batch: 6_619_136,
    mean: 57_706,
    epochs: 20,
    most: [5, 5],
    changes: 11,
    other_size_until: 0,
    freed: 600 * KIB,
};

impl Pipeline {
    fn report(self, seed: u64, mut each: impl FnMut(&mut World, u64)) -> Report {
        let mut noise = Noise(seed * 104_729);
        let mut w = started();
        w.records(self.mean, seed);
        let stack = w.stack(&["start_thread", "tensorflow::data::GeneratorDataset"]);
        let (mut flying, mut breath) = (Made::default(), 0);
        for epoch in 1..=self.epochs {
            let size = if epoch < self.other_size_until { self.batch + 4096 * epoch } else { self.batch };
            let batches = w.makes(stack, size, noise.of(self.most[usize::from(epoch >= self.changes)]));
            w.gives_back(std::mem::replace(&mut flying, batches));
            let now = noise.bytes(80 * KIB);
            w.takes(now - breath).objects(170);
            breath = now;
            each(&mut w, epoch);
            w.cycle(Epoch);
        }
        w.ends(self.freed);
        w.report()
    }
}

pub(crate) fn worlds(theme: &mut Theme) {
    for seed in 1..=2 {
        for keeps in [0, 240, 2000] {
            let report = PIPELINE.report(seed, |w, _| _ = w.takes(keeps * KIB));
            let name = format!("pipeline {seed}, and {keeps} KiB an epoch that no recorder saw");
            theme.world(name, of(keeps * KIB), report);
        }
    }
    for (name, pipeline) in [
        ("sampled with 95 %, above SURELY_SEEN_CHANCE", Pipeline { mean: 2_200_000, ..PIPELINE }),
        ("sampled with 75 %, below SURELY_SEEN_CHANCE", Pipeline { mean: 4_800_000, ..PIPELINE }),
        ("of 3 batches, then of 4: about NO_MORE_RATIO", Pipeline { most: [4, 5], ..PIPELINE }),
        ("of 2 batches, then of 4", Pipeline { most: [3, 5], ..PIPELINE }),
        ("of 1 batch, then of 6", Pipeline { most: [2, 7], ..PIPELINE }),
        ("of another size until epoch 6, within EARLY_RATIO", Pipeline { other_size_until: 6, ..PIPELINE }),
        ("of another size until epoch 12, after EARLY_RATIO", Pipeline { other_size_until: 12, ..PIPELINE }),
        ("in 10 epochs", Pipeline { epochs: 10, ..PIPELINE }),
        ("with garbage of 2 MiB at exit", Pipeline { freed: 2000 * KIB, ..PIPELINE }),
    ] {
        theme.world(format!("a pipeline {name}"), Truth::Healthy, pipeline.report(2, |_, _| ()));
    }
    for each in [100, 800] {
        let mut all = Made::default();
        let joined = PIPELINE.report(3, |w, epoch| {
            let stack = w.stack(&["/job/train.py:30 on_epoch_end"]);
            let longer = w.makes(stack, epoch * each * 1024, 1);
            w.gives_back(std::mem::replace(&mut all, longer));
        });
        let name = format!("a pipeline beside an array that is joined with {each} KiB an epoch");
        theme.world(name, of(each.cast_signed() * KIB), joined);
    }
    for every in [2, 3, 5, 8] {
        let mut waiting = VecDeque::new();
        let piled = PIPELINE.report(4, |w, epoch| {
            let stack = w.stack(&["start_thread", "tensorflow::data::GeneratorDataset"]);
            let made = w.makes(stack, PIPELINE.batch, 1);
            waiting.push_back(made);
            if epoch % every != 0 {
                w.gives_back(waiting.pop_front().unwrap_or_default());
            }
        });
        let name = format!("a queue that piles up a batch in every epoch by {every}");
        theme.world(name, Truth::Leak((PIPELINE.batch / every).cast_signed()), piled);
    }
}
