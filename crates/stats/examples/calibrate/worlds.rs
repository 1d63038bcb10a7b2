//! Kinds of series with a known truth, modelled on the live bytes of real training jobs. In: length, seed, an
//! extra leak. Out: cycles and bytes. The same seed gives the same noise with and without the leak.

pub(crate) const KIB: f64 = 1024.0;
const MIB: f64 = 1024.0 * KIB;

/// A way in which live bytes move.
pub(crate) struct World {
    pub name: &'static str,
    /// Lasting growth, bytes per cycle, before any extra leak.
    pub truth: f64,
    level: fn(&mut Draw, usize) -> Vec<f64>,
}

impl World {
    /// Cycles and bytes, with `leak` bytes per cycle on top.
    pub(crate) fn series(&self, n: usize, seed: u32, leak: f64) -> (Vec<f64>, Vec<f64>) {
        let mut draw = Draw::new(u64::from(seed));
        let x: Vec<f64> = (0..n).map(|i| i as f64 + 3.0).collect();
        let level = (self.level)(&mut draw, n);
        let y =
            level.iter().zip(&x).map(|(l, x)| (180.0 * MIB + l + (self.truth + leak) * x).round()).collect();
        (x, y)
    }
}

/// All worlds. `level` returns the part that is no lasting growth.
pub(crate) const WORLDS: &[World] = &[
    World { name: "quiet level, 2 KiB", truth: 0.0, level: |d, n| d.white(n, 2.0 * KIB) },
    World { name: "batch in flight, 2 MiB", truth: 0.0, level: |d, n| d.in_flight(n) },
    World { name: "noisy level, 200 KiB", truth: 0.0, level: |d, n| d.white(n, 200.0 * KIB) },
    World { name: "slow level, memory 0.8", truth: 0.0, level: |d, n| d.remembering(n, 0.8, 20.0 * KIB) },
    World { name: "slow level, memory 0.95", truth: 0.0, level: |d, n| d.remembering(n, 0.95, 20.0 * KIB) },
    World { name: "wandering, 3 KiB", truth: 0.0, level: |d, n| d.walk(n, 3.0 * KIB) },
    World { name: "wandering, 20 KiB", truth: 0.0, level: |d, n| d.walk(n, 20.0 * KIB) },
    World { name: "wandering and noisy", truth: 0.0, level: |d, n| d.walk_and_white(n) },
    World { name: "wild tails (t3), 30 KiB", truth: 0.0, level: |d, n| d.wild(n, 30.0 * KIB) },
    World { name: "walk with wild tails", truth: 0.0, level: |d, n| d.wild_walk(n, 10.0 * KIB) },
    World { name: "phases of growth", truth: 0.0, level: |d, n| d.phases(n) },
    World { name: "one step of 16 MiB", truth: 0.0, level: |d, n| d.steps(n, 1) },
    World { name: "three unlike steps", truth: 0.0, level: |d, n| d.steps(n, 3) },
    World { name: "one drop of 16 MiB", truth: 0.0, level: |d, n| d.drop_once(n) },
    World { name: "sawtooth, all taken back", truth: 0.0, level: |d, n| d.sawtooth(n, 160.0 * KIB, 0.0) },
    World { name: "sawtooth, 26 KiB stay", truth: 26.0 * KIB, level: |d, n| d.sawtooth(n, 130.0 * KIB, 0.0) },
    World {
        name: "steady leak of 4 MiB, garbage",
        truth: 4.0 * MIB,
        level: |d, n| d.sawtooth(n, 160.0 * KIB, 8.0),
    },
    World { name: "staircase, 1 MiB every 4th", truth: 256.0 * KIB, level: |d, n| d.staircase(n, 4, MIB) },
    World { name: "staircase, 1 MiB every 10th", truth: 102.4 * KIB, level: |d, n| d.staircase(n, 10, MIB) },
    World { name: "models in a loop", truth: 4360.0 * KIB, level: |d, n| d.models(n) },
];

/// xorshift64*, and the random draws of the worlds.
struct Draw(u64);

impl Draw {
    fn new(seed: u64) -> Self {
        let mut draw = Self((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            draw.unit();
        }
        draw
    }

    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let bits = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11;
        (bits as f64 + 0.5) / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.unit().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    fn student3(&mut self) -> f64 {
        let chi: f64 = (0..3).map(|_| self.normal().powi(2)).sum();
        self.normal() / (chi / 3.0).sqrt()
    }

    fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    fn white(&mut self, n: usize, size: f64) -> Vec<f64> {
        (0..n).map(|_| size * self.normal()).collect()
    }

    fn in_flight(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| if self.unit() < 0.5 { 2.0 * MIB } else { 0.0 } + 3.0 * KIB * self.normal()).collect()
    }

    fn remembering(&mut self, n: usize, memory: f64, size: f64) -> Vec<f64> {
        let mut at = size * self.normal() / (1.0_f64 - memory * memory).sqrt();
        (0..n)
            .map(|_| {
                at = memory * at + size * self.normal();
                at
            })
            .collect()
    }

    fn walk(&mut self, n: usize, size: f64) -> Vec<f64> {
        sum((0..n).map(|_| size * self.normal()))
    }

    fn walk_and_white(&mut self, n: usize) -> Vec<f64> {
        let walk = self.walk(n, 5.0 * KIB);
        walk.into_iter().map(|v| v + 30.0 * KIB * self.normal()).collect()
    }

    fn wild(&mut self, n: usize, size: f64) -> Vec<f64> {
        (0..n).map(|_| size * self.student3()).collect()
    }

    fn wild_walk(&mut self, n: usize, size: f64) -> Vec<f64> {
        sum((0..n).map(|_| size * self.student3()))
    }

    fn phases(&mut self, n: usize) -> Vec<f64> {
        let steps = self.remembering(n, 0.6, 10.0 * KIB);
        sum(steps.into_iter())
    }

    fn steps(&mut self, n: usize, count: usize) -> Vec<f64> {
        let mut out = self.white(n, 5.0 * KIB);
        for k in 0..i32::try_from(count).unwrap_or(0) {
            let at = 1 + self.below(n - 1);
            let size = 16.0 * MIB / 3.0_f64.powi(k);
            for level in &mut out[at..] {
                *level += size;
            }
        }
        out
    }

    fn drop_once(&mut self, n: usize) -> Vec<f64> {
        self.steps(n, 1).into_iter().map(|v| -v).collect()
    }

    /// Garbage that a collection frees every 8 to 14 cycles; `noise` in KiB is added to each increment.
    fn sawtooth(&mut self, n: usize, garbage: f64, noise: f64) -> Vec<f64> {
        let period = 8 + self.below(7);
        let phase = self.below(period);
        let crumbs = self.walk(n, noise * KIB);
        (0..n)
            .map(|i| ((i + phase) % period) as f64 * garbage + crumbs[i] + 3.0 * KIB * self.normal())
            .collect()
    }

    /// The difference of a staircase from its mean slope.
    fn staircase(&mut self, n: usize, every: usize, size: f64) -> Vec<f64> {
        let phase = self.below(every);
        (0..n)
            .map(|i| {
                let part = ((i + phase) % every) as f64 / every as f64;
                2.0 * KIB * self.normal() - part * size
            })
            .collect()
    }

    fn models(&mut self, n: usize) -> Vec<f64> {
        let period = 7 + self.below(3);
        let phase = self.below(period);
        (0..n).map(|i| ((i + phase) % period) as f64 * 3840.0 * KIB + 20.0 * KIB * self.normal()).collect()
    }
}

fn sum(steps: impl Iterator<Item = f64>) -> Vec<f64> {
    steps
        .scan(0.0, |at, step| {
            *at += step;
            Some(*at)
        })
        .collect()
}
