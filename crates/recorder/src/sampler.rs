//! Where the next sample lies: distances between sample points, exponentially distributed, per size class.
//!
//! In: the means of the moment. Out: whether an allocation is a sample, and under which mean. An allocation of `n` bytes
//! holds a point with probability `1 - exp(-n / mean)`, whatever was allocated before; the mean is fixed when the distance
//! is drawn, so that estimates stay unbiased while means change. A distance may be drawn anew at any moment that does not
//! depend on how much of it is left: it has no memory.
//!
//! Points may lie denser than samples are wanted. Then a coin decides which of the allocations with a point is a sample,
//! so that all in all it is one with the probability that belongs to the coarser mean. What the coin depends on is the past
//! and the allocation's size: a mean for each size costs nothing but where there is a point.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::strata::STRATA;
use crate::tls::Block;

/// Means that differ by less are not worth a coin.
const MIN_MEAN_CHANGE_FACTOR: f64 = 1.05;

/// The mean distances of each stratum at this moment, in bytes.
pub(crate) struct Means {
    /// Between samples.
    pub(crate) of_samples: [AtomicU32; STRATA],
    /// Between points.
    pub(crate) of_points: [AtomicU32; STRATA],
    /// Goes up whenever one of the latter changes.
    pub(crate) generation: AtomicU32,
}

impl Means {
    pub(crate) fn new(mean: u32) -> Self {
        Self {
            of_samples: std::array::from_fn(|_stratum| AtomicU32::new(mean.max(1))),
            of_points: std::array::from_fn(|_stratum| AtomicU32::new(mean.max(1))),
            generation: AtomicU32::new(1),
        }
    }

    /// Between samples.
    pub(crate) fn samples(&self, stratum: usize) -> u32 {
        self.of_samples.get(stratum).map_or(1, |mean| mean.load(Relaxed))
    }

    /// Between points.
    pub(crate) fn points(&self, stratum: usize) -> u32 {
        self.of_points.get(stratum).map_or(1, |mean| mean.load(Relaxed))
    }
}

impl Block {
    /// An allocation of this size brought the countdown of its class below zero: the mean of the points of which it holds one,
    /// `None` if the thread had not begun to count and it holds none.
    pub(crate) fn hit(&self, class: usize, size: usize, means: &Means) -> Option<u32> {
        let first = self.seeded.load(Relaxed) & 1 << class == 0;
        if first {
            self.draw(class, means.points(self.stratum(class)));
            if !self.takes(class, size) {
                return None;
            }
        }
        let mean = self.mean.get(class)?.load(Relaxed);
        self.draw(class, means.points(self.stratum(class)));
        self.follow(means);
        Some(mean)
    }

    /// Whether an allocation of this size with a point of those that lie `points` apart is a sample, where samples lie `mean`
    /// apart: the mean under which it is one.
    pub(crate) fn toss(&self, size: usize, points: u32, mean: u32) -> Option<u32> {
        if f64::from(mean) <= f64::from(points) * MIN_MEAN_CHANGE_FACTOR {
            return Some(points);
        }
        let chance = chance(size, mean) / chance(size, points);
        (uniform(self.random()) <= chance).then_some(mean)
    }

    /// Draws the distance of a class anew.
    pub(crate) fn draw(&self, class: usize, mean: u32) {
        let (Some(remaining), Some(of_gap)) = (self.remaining(class), self.mean.get(class)) else {
            return;
        };
        let seeded = self.seeded.load(Relaxed);
        of_gap.store(mean, Relaxed);
        remaining.store(distance(self.random(), mean), Relaxed);
        self.seeded.store(seeded | 1 << class, Relaxed);
    }

    /// The recorder does not record: the countdown does not end for so many bytes.
    pub(crate) fn rest(&self, class: usize, bytes: i64) {
        if let Some(remaining) = self.remaining(class) {
            remaining.store(bytes, Relaxed);
            self.seeded.store(self.seeded.load(Relaxed) & !(1 << class), Relaxed);
        }
    }

    fn takes(&self, class: usize, size: usize) -> bool {
        self.remaining(class).is_some_and(|remaining| {
            let left = remaining.load(Relaxed).saturating_sub_unsigned(size as u64);
            remaining.store(left, Relaxed);
            left < 0
        })
    }

    /// Draws the distances of the classes whose mean has changed anew. That another class had a sample just now says
    /// nothing about what is left of them.
    fn follow(&self, means: &Means) {
        let generation = means.generation.load(Relaxed);
        if self.generation.swap(generation, Relaxed) == generation {
            return;
        }
        let seeded = self.seeded.load(Relaxed);
        for (class, mean) in self.mean.iter().enumerate() {
            let now = means.points(self.stratum(class));
            if seeded & 1 << class != 0 && mean.load(Relaxed) != now {
                self.draw(class, now);
            }
        }
    }

    fn random(&self) -> u64 {
        let mut x = self.random.load(Relaxed);
        if x == 0 {
            x = seed();
        }
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        self.random.store(x, Relaxed);
        x.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

static SEEDS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

/// Sets where the seeds of threads begin.
pub(crate) fn set_seed(seed: u64) {
    SEEDS.store(seed, Relaxed);
}

/// Another number for each thread, never 0.
fn seed() -> u64 {
    let mut z = SEEDS.fetch_add(0x9e37_79b9_7f4a_7c15, Relaxed).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ z >> 31) | 1
}

/// A whole number of bytes, exponentially distributed.
fn distance(random: u64, mean: u32) -> i64 {
    (-ln(uniform(random)) * f64::from(mean)) as i64
}

/// A number of (0, 1], of 53 bits.
fn uniform(random: u64) -> f64 {
    ((random >> 11) + 1) as f64 / (1_u64 << 53) as f64
}

/// How likely an allocation of this size holds a point: `1 - exp(-size / mean)`, right to 1e-9 of it. Not by the mathematical
/// library, as below.
pub(crate) fn chance(size: usize, mean: u32) -> f64 {
    let x = size as f64 / f64::from(mean.max(1));
    if x > 32.0 {
        return 1.0;
    }
    // 1 - exp(-x/2^k) is a short series where that is small; doubling it back is 2c - c^2.
    let halvings = if x > 0.125 { ((x / 0.125).to_bits() >> 52) as i32 - 1022 } else { 0 };
    let small = x / f64::from(1_u32 << halvings.clamp(0, 16));
    let series = [6.0, 5.0, 4.0, 3.0, 2.0].iter().fold(1.0, |sum, n| 1.0 - sum * small / n);
    (0..halvings).fold(small * series, |chance, _| chance * (2.0 - chance))
}

/// Natural logarithm of a number in (0, 1], right to 1e-9. The mathematical library may be resolved lazily, which takes
/// the loader's locks.
fn ln(number: f64) -> f64 {
    let bits = number.to_bits();
    let mut exponent = (bits >> 52) as i32 - 1023;
    let mut mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    if mantissa > std::f64::consts::SQRT_2 {
        // Around 1: of 0.70 to 1.41.
        (mantissa, exponent) = (mantissa / 2.0, exponent + 1);
    }
    let root = (mantissa - 1.0) / (mantissa + 1.0);
    let series =
        [13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0].iter().fold(0.0, |sum, odd| sum * root * root + 1.0 / odd);
    2.0 * root * series + f64::from(exponent) * std::f64::consts::LN_2
}

#[cfg(test)]
#[path = "sampler_tests.rs"]
mod tests;
