//! Where the next sample lies: distances between sample points, exponentially distributed, per size class.
//!
//! In: the means of the moment. Out: whether an allocation is a sample, and under which mean. An allocation of `n` bytes
//! holds a point with probability `1 - exp(-n / mean)`, whatever was allocated before; the mean is fixed when the distance
//! is drawn, so that estimates stay unbiased while means change. A distance may be drawn anew at any moment that does not
//! depend on how much of it is left: it has no memory.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use crate::tls::{Block, CLASSES};

/// The mean distance of each class at this moment, in bytes.
pub(crate) struct Means {
    pub(crate) of_class: [AtomicU32; CLASSES],
    /// Goes up whenever one of them changes.
    pub(crate) generation: AtomicU32,
}

impl Means {
    pub(crate) fn new(mean: u32) -> Self {
        Self {
            of_class: std::array::from_fn(|_class| AtomicU32::new(mean.max(1))),
            generation: AtomicU32::new(1),
        }
    }

    pub(crate) fn get(&self, class: usize) -> u32 {
        self.of_class.get(class).map_or(1, |mean| mean.load(Relaxed))
    }
}

impl Block {
    /// An allocation of this size brought the countdown of its class below zero: the mean under which it is a sample,
    /// `None` if the thread had not begun to count and it is none.
    pub(crate) fn hit(&self, class: usize, size: usize, means: &Means) -> Option<u32> {
        let first = self.seeded.load(Relaxed) & 1 << class == 0;
        if first {
            self.draw(class, means.get(class));
            if !self.takes(class, size) {
                return None;
            }
        }
        let mean = self.mean.get(class)?.load(Relaxed);
        self.draw(class, means.get(class));
        self.follow(means);
        Some(mean)
    }

    /// Draws the distance of a class anew.
    pub(crate) fn draw(&self, class: usize, mean: u32) {
        let (Some(remaining), Some(of_gap)) = (self.remaining.get(class), self.mean.get(class)) else {
            return;
        };
        let seeded = self.seeded.load(Relaxed);
        of_gap.store(mean, Relaxed);
        remaining.store(distance(self.random(), mean), Relaxed);
        self.seeded.store(seeded | 1 << class, Relaxed);
    }

    /// The recorder does not record: the countdown does not end for a long time.
    pub(crate) fn rest(&self, class: usize) {
        if let Some(remaining) = self.remaining.get(class) {
            remaining.store(i64::MAX >> 1, Relaxed);
            self.seeded.store(self.seeded.load(Relaxed) & !(1 << class), Relaxed);
        }
    }

    fn takes(&self, class: usize, size: usize) -> bool {
        self.remaining.get(class).is_some_and(|remaining| {
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
            let now = means.get(class);
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
    // 53 bits, of (0, 1].
    let uniform = ((random >> 11) + 1) as f64 / (1_u64 << 53) as f64;
    (-ln(uniform) * f64::from(mean)) as i64
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
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_right() {
        let mut x = 1.0_f64;
        while x > 1e-16 {
            assert!((ln(x) - x.ln()).abs() < 1e-9, "{x}: {} {}", ln(x), x.ln());
            x *= 0.9991;
        }
    }

    #[test]
    fn distances_have_their_mean_and_their_spread() {
        let block = Block::default();
        let (mut sum, mut squares, mut beyond) = (0.0, 0.0, 0);
        let count = 200_000;
        for _ in 0..count {
            let distance = distance(block.random(), 4096) as f64;
            sum += distance;
            squares += distance * distance;
            beyond += i32::from(distance > 8192.0);
        }
        let mean = sum / f64::from(count);
        let deviation = (squares / f64::from(count) - mean * mean).sqrt();
        assert!((mean - 4096.0).abs() < 50.0, "{mean}");
        assert!((deviation - 4096.0).abs() < 60.0, "{deviation}");
        assert!((f64::from(beyond) / f64::from(count) - (-2.0_f64).exp()).abs() < 0.004, "{beyond}");
    }

    /// One allocation: its weight if it is a sample.
    fn allocate(block: &Block, size: usize, means: &Means) -> f64 {
        if !block.count(size) {
            return 0.0;
        }
        let hit = block.hit(crate::tls::class(size), size, means);
        hit.map_or(0.0, |mean| size as f64 / (1.0 - (-(size as f64) / f64::from(mean)).exp()))
    }

    #[test]
    fn estimates_are_unbiased_while_means_change() {
        let (means, block) = (Means::new(65536), Block::default());
        let (mut truth, mut estimate, mut variance) = (0.0, 0.0, 0.0);
        for round in 0..400_000_u64 {
            let size = match round % 5 {
                0 => 48,
                1 => 100_000,
                2 => 1 << 20,
                3 => 1000,
                _ => 5000,
            };
            let weight = allocate(&block, size, &means);
            truth += size as f64;
            estimate += weight;
            variance += weight * (weight - size as f64).max(0.0);
            if round % 777 == 0 {
                // Depends on what was sampled, as the governor does.
                let mean = [4096, 65536, 1 << 20, 1 << 26][(estimate as u64 % 4) as usize];
                means.of_class[crate::tls::class(size)].store(mean, Relaxed);
                means.generation.fetch_add(1, Relaxed);
            }
        }
        let deviation = variance.sqrt();
        assert!((estimate - truth).abs() < 4.5 * deviation, "{estimate} {truth} {deviation}");
        assert!(deviation / truth < 0.05, "{deviation} of {truth} tells too little");
    }

    #[test]
    fn a_thread_that_rests_is_not_asked_again_and_begins_anew_when_it_is() {
        let (means, block) = (Means::new(4096), Block::default());
        block.rest(10);
        assert!((0..100_000).all(|_| !block.count(1500)));
        block.draw(10, means.get(10));
        assert!((0..1000).any(|_| block.count(1500)));
    }
}
