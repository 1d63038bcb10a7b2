//! No site is accused in programs that do not leak: random mixtures of what healthy programs were seen to do.

use std::collections::VecDeque;

use crate::world::recorder::Made;
use crate::world::{KIB, MIB, Noise, World, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::Moment;
use nilometer_diagnose::Verdict;

/// What one line of a healthy program does with its memory.
enum Habit {
    /// Gives it back a few epochs later (0: within the epoch).
    Passing { epochs: usize },
    /// Keeps the last few.
    Ring { length: usize },
    /// Replaces a random one of so many.
    Cache { entries: usize },
    /// Makes ever fewer new ones.
    Filling { time: f64 },
    /// Makes some in the first epochs, and perhaps once more.
    StartUp { again: u64 },
    /// Leaves reference cycles, which a collection frees.
    Garbage,
    /// The few hundred bytes of a history.
    History,
}

struct Line {
    stack: u64,
    size: u64,
    blocks: u64,
    habit: Habit,
    held: VecDeque<Made>,
}

fn habit(noise: &mut Noise, epochs: u64) -> Habit {
    match noise.of(8) {
        0 => Habit::Passing { epochs: 0 },
        1 => Habit::Passing { epochs: 1 },
        2 => Habit::Ring { length: 2 + noise.of(epochs / 4) as usize },
        3 => Habit::Cache { entries: 1 + noise.of(epochs / 4) as usize },
        4 => Habit::Filling { time: 1.0 + noise.share() * epochs as f64 / 6.0 },
        5 => Habit::StartUp { again: noise.of(2 * epochs) },
        6 => Habit::Garbage,
        _ => Habit::History,
    }
}

impl Line {
    fn lives(&mut self, w: &mut World, noise: &mut Noise, epoch: u64) {
        let blocks = match self.habit {
            Habit::Filling { time } => (self.blocks as f64 * (-(epoch as f64) / time).exp()) as u64,
            Habit::StartUp { again } if epoch > 2 && epoch != again => 0,
            Habit::History => self.blocks.min(2048 / self.size),
            // A framework's garbage weighs some 250 bytes per object.
            Habit::Garbage => self.blocks.min(200 * 1024 / self.size),
            _ => self.blocks,
        };
        let made = w.makes(self.stack, self.size, blocks);
        if matches!(self.habit, Habit::Garbage) {
            w.objects(made.bytes as u64 / 250);
        }
        self.held.push_back(made);
        let out = match self.habit {
            Habit::Passing { epochs } if self.held.len() > epochs => self.held.pop_front(),
            Habit::Ring { length } if self.held.len() > length => self.held.pop_front(),
            Habit::Cache { entries } if self.held.len() > entries => {
                let at = noise.of(self.held.len() as u64 - 1) as usize;
                self.held.remove(at)
            }
            _ => None,
        };
        w.gives_back(out.unwrap_or_default());
    }

    fn is_collected(&mut self, w: &mut World) {
        if matches!(self.habit, Habit::Garbage) {
            for made in self.held.drain(..) {
                w.frees(0, made.bytes as u64 / 250, 0).gives_back(made);
            }
        }
    }
}

fn healthy(seed: u64) -> World {
    let mut noise = Noise(seed * 104_729 + 1);
    (0..10).for_each(|_| noise.0 = noise.0.wrapping_add(noise.of(1 << 40)));
    let epochs = 5 + noise.of(36);
    let mut w = started();
    w.records(4096 << noise.of(8), seed);
    let keras = "/v/lib/python3.11/site-packages/keras/src/trainer.py";
    let mut lines: Vec<Line> = (0..2 + noise.of(12))
        .map(|i| {
            let (fit, own) =
                ("/job/train.py:60 <module>", format!("/job/train.py:{} on_epoch_end", 10 + i / 2));
            let inner = format!("{keras}:{} step", 100 + i);
            let frames: &[&str] = match noise.of(4) {
                0 => &[fit, &inner],
                1 => &[fit, &own],
                2 => &[fit, &own, &inner],
                _ => &["start_thread", "tensorflow::Run"],
            };
            let stack = w.stack(frames);
            let size = 32 << noise.of(16);
            let blocks = 1 + noise.of((4 << 20) / size);
            Line { stack, size, blocks, habit: habit(&mut noise, epochs), held: VecDeque::new() }
        })
        .collect();
    let (mut level, swing) = (0, [0, 60 * KIB, 2 * MIB][noise.of(3) as usize]);
    let (collects_every, ends_softly) = (4 + noise.of(60), noise.of(4) > 0);
    for epoch in 0..epochs {
        for line in &mut lines {
            line.lives(&mut w, &mut noise, epoch);
        }
        let now = noise.bytes(swing);
        w.takes(now - level).objects(100);
        level = now;
        if epoch % collects_every == collects_every - 1 {
            for line in &mut lines {
                line.is_collected(&mut w);
            }
            w.collects(2);
        }
        w.cycle(Epoch);
    }
    if ends_softly {
        w.reads(Moment::BeforeExit);
        for line in &mut lines {
            line.is_collected(&mut w);
        }
        w.collects(2).reads(Moment::AfterExitCollection);
    }
    w
}

/// Programs in which a site was accused; and how many were called leaking by the counters alone.
fn accused(seeds: std::ops::RangeInclusive<u64>) -> (Vec<String>, usize) {
    let (mut out, mut counted) = (Vec::new(), 0);
    for seed in seeds {
        let report = healthy(seed).report();
        if !report.findings.is_empty() {
            out.push(format!("seed {seed}: {:?} {} {:#?}", report.verdict, report.reason, report.findings));
        } else if report.verdict == Verdict::Leak {
            counted += 1;
        }
    }
    (out, counted)
}

#[test]
fn no_site_is_accused_in_a_hundred_healthy_programs() {
    let (out, counted) = accused(1..=100);
    assert!(out.is_empty(), "{} accused:\n{}", out.len(), out.join("\n"));
    assert!(counted <= 1, "{counted}");
}

#[test]
#[ignore = "minutes: the same on more programs, for changes of the rules"]
fn at_most_one_site_is_accused_in_two_thousand_healthy_programs() {
    let (out, counted) = accused(101..=2100);
    assert!(out.len() <= 1, "{} accused:\n{}", out.len(), out.join("\n"));
    assert!(counted <= 20, "{counted}");
}
