//! Coverage of the interval over many simulated leaks, sampled like the recorder's.
#![allow(clippy::unwrap_used, reason = "tests")]

use nilometer_stats::{Sampled, weighted_rate};

/// Uniform in 0 to 1, the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Tries until one succeeds.
    fn gap(&mut self, chance: f64) -> usize {
        1 + (self.roll().max(1e-300).ln() / (-chance).ln_1p()) as usize
    }
}

/// A cycle's number of blocks relative to the usual one.
type Vary = fn(usize, &mut Dice) -> f64;

/// A leak: blocks of one size per cycle, and how the number of blocks varies.
struct Leak {
    size: f64,
    blocks: f64,
    vary: Vary,
}

const KIB: f64 = 1024.0;

/// The share of trials whose interval holds the truth, among those with enough samples.
fn coverage(leak: &Leak, mean: f64, cycles: usize) -> f64 {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let chance = 1.0 - (-leak.size / mean).exp();
    let truth = leak.size * leak.blocks;
    let (mut held, mut told) = (0, 0);
    for _ in 0..1500 {
        let mut stretches = Vec::new();
        for cycle in 0..cycles {
            let blocks = (leak.blocks * (leak.vary)(cycle, &mut dice)).round() as usize;
            let mut s = Sampled { cycles: 1.0, ..Sampled::default() };
            // Jumps from one sampled block to the next, because there may be many thousands.
            let mut at = dice.gap(chance);
            while at <= blocks {
                s.add(leak.size / chance, chance);
                at += dice.gap(chance);
            }
            stretches.push(s);
        }
        if stretches.iter().filter(|s| s.bytes > 0.0).count() >= 3 {
            told += 1;
            held += usize::from(weighted_rate(&stretches).unwrap().contains(truth));
        }
    }
    assert!(told > 100, "{told} trials have something to say");
    f64::from(u32::try_from(held).unwrap()) / f64::from(told)
}

const STEADY: Vary = |_, _| 1.0;

#[test]
fn the_interval_holds_what_sampling_leaves_open() {
    for (size, blocks) in [(48.0, 20_000.0), (KIB, 1000.0), (100.0 * KIB, 10.0), (1024.0 * KIB, 1.0)] {
        for mean in [64.0 * KIB, 512.0 * KIB] {
            for cycles in [5, 12, 30] {
                let share = coverage(&Leak { size, blocks, vary: STEADY }, mean, cycles);
                assert!(share >= 0.93, "{blocks} x {size} B at {mean}, {cycles} cycles: {share}");
            }
        }
    }
}

#[test]
fn the_interval_holds_what_cycles_leave_open() {
    let kinds: [(&str, Vary); 3] = [
        ("half to three halves", |_, dice| 0.5 + dice.roll()),
        ("every third", |cycle, _| if cycle % 3 == 0 { 3.0 } else { 0.0 }),
        ("now and then twice", |_, dice| if dice.roll() < 0.25 { 2.5 } else { 0.5 }),
    ];
    for (name, vary) in kinds {
        for cycles in [9, 12, 30] {
            let share = coverage(&Leak { size: KIB, blocks: 1000.0, vary }, 64.0 * KIB, cycles);
            // In 7 of 100 runs of the last kind, none of 9 cycles is a big one; no interval can know of it
            // then.
            let least = if name == "now and then twice" && cycles < 30 { 0.90 } else { 0.93 };
            assert!(share >= least, "{name}, {cycles} cycles: {share}");
        }
    }
}

#[test]
fn a_rare_sample_is_no_narrow_interval() {
    // 8 KiB per cycle at 64 KiB: one sample every eight cycles.
    let share = coverage(&Leak { size: 80.0, blocks: 102.0, vary: STEADY }, 64.0 * KIB, 40);
    assert!(share >= 0.93, "{share}");
}
