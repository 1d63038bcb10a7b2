//! Which sizes stay: those are sampled more closely.
//!
//! In: trials that outlived the cycle after the one they were born in, and what is asked for of each size. Out: a mean for
//! each size that is a suspect. Pure: no clock, no state but its own.
//!
//! A size of which something stayed once is a suspect for some cycles, one of which something stayed again for longer, and it gets a larger
//! share. What stayed when the program began is never made again, and so costs nothing.

use crate::alloc_class::{AllocClass, KEYS};
use crate::quota::{SAMPLED_RATIO, mean_of_part, quota};

/// So many suspects at a time.
const MAX_SUSPECTS: usize = 64;
/// Generations after which a size is no suspect any more: one that left something once, and others.
const MIN_GENERATIONS: u32 = 8;
const MAX_GENERATIONS: u32 = 20;
/// So many samples that stay of each cycle tell all there is to tell.
const MAX_SAMPLES_PER_CYCLE: f64 = 16.0;
/// Where less than this part of what is asked for stays, it makes no difference any more how much.
const MIN_KEPT_RATIO: f64 = 0.01;
/// How long flows are remembered, in seconds of CPU time.
const MEMORY: f64 = 1.0;
/// Changes below this are not worth it.
const MIN_CHANGE_FACTOR: f64 = 1.25;

#[derive(Clone, Copy, Debug, Default)]
struct Suspect {
    size: u32,
    stratum: usize,
    /// A bit for each of the last generations of which something stayed.
    born: u32,
    /// Bytes that stayed of the last generation, and on average.
    now: f64,
    stay: f64,
    /// Bytes asked for, fading.
    bytes: f64,
    /// 0: not sampled more closely.
    mean: f64,
}

impl Suspect {
    /// Generations that left something.
    fn often(&self) -> u32 {
        self.born.count_ones()
    }

    fn is_one(&self) -> bool {
        let patience = if self.often() > 1 { MAX_GENERATIONS } else { MIN_GENERATIONS };
        self.born.trailing_zeros() < patience
    }

    /// How large a share it deserves: the more often something stayed, and the more of all that is asked for, which is
    /// `asked` in a generation.
    fn weight(&self, asked: f64) -> f64 {
        let part = self.stay.max(self.now) / asked.max(1.0);
        f64::from(1_u32 << self.often().min(6)) * part.clamp(MIN_KEPT_RATIO, 1.0)
    }
}

pub(crate) struct Suspects {
    all: Box<[Suspect]>,
    /// CPU time behind what was asked for, fading, and that of a generation so far and on average, in seconds.
    time: f64,
    lasts: f64,
    usual: f64,
}

/// Between which means a size may be sampled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) finest: f64,
    pub(crate) coarsest: f64,
}

impl Suspects {
    pub(crate) fn new() -> Self {
        Self { all: vec![Suspect::default(); KEYS].into_boxed_slice(), time: 0.1, lasts: 0.0, usual: 0.0 }
    }

    /// A generation has ended.
    pub(crate) fn generation(&mut self) {
        let lasted = std::mem::take(&mut self.lasts);
        self.usual = if self.usual == 0.0 { lasted } else { f64::midpoint(self.usual, lasted) };
        for suspect in &mut self.all {
            let before = suspect.stay;
            suspect.stay = if before == 0.0 { suspect.now } else { f64::midpoint(before, suspect.now) };
            suspect.born <<= 1;
            suspect.now = 0.0;
        }
    }

    /// Memory of this size, which stands for so many bytes, is there after the generation that followed its own.
    pub(crate) fn stays(&mut self, key: AllocClass, bytes: f64) {
        if let Some(suspect) = self.all.get_mut(usize::from(key.place)) {
            (suspect.size, suspect.stratum) = (key.size, key.stratum());
            suspect.born |= 1;
            suspect.now += bytes;
        }
    }

    /// So much CPU time has passed, in seconds, in which so many bytes of each size were asked for.
    pub(crate) fn pass(&mut self, seconds: f64, asked: impl Fn(usize) -> f64) {
        let fade = (-seconds / MEMORY).exp();
        self.time = self.time * fade + seconds;
        self.lasts += seconds;
        for (place, suspect) in self.all.iter_mut().enumerate() {
            suspect.bytes = suspect.bytes * fade + asked(place);
        }
    }

    /// A bit for each stratum with suspects.
    pub(crate) fn strata(&self) -> u64 {
        let suspects = self.all.iter().filter(|suspect| suspect.is_one());
        suspects.fold(0, |strata, suspect| strata | 1 << suspect.stratum)
    }

    /// Shares so many samples per second of CPU time out, and says which mean each size gets, 0 for that of its class.
    pub(crate) fn share(
        &mut self,
        affordable: f64,
        bounds: impl Fn(usize) -> Bounds,
        mut set: impl FnMut(usize, u32),
    ) {
        let (mut room, mut count) = ([Part::default(); MAX_SUSPECTS], 0);
        let (time, usual) = (self.time, self.usual);
        // Those that something stayed of most often first.
        for often in [4..u32::MAX, 0..4] {
            for (place, suspect) in self.all.iter_mut().enumerate() {
                if !often.contains(&suspect.often()) {
                    continue;
                }
                if suspect.is_one()
                    && let Some(part) = room.get_mut(count)
                {
                    let bounds = bounds(suspect.stratum);
                    *part = Part::of(place, suspect, bounds, suspect.bytes / time, usual);
                    count += 1;
                } else if suspect.mean > 0.0 {
                    suspect.mean = 0.0;
                    set(place, 0);
                }
            }
        }
        let parts = room.get(..count).unwrap_or_default();
        let found = quota(affordable, |quota| parts.iter().map(|part| part.rate(quota)).sum());
        for part in parts {
            let Some(suspect) = self.all.get_mut(part.place) else { continue };
            let wanted = part.mean(found);
            if wanted > suspect.mean * MIN_CHANGE_FACTOR || wanted < suspect.mean / MIN_CHANGE_FACTOR {
                suspect.mean = wanted;
                set(part.place, wanted as u32);
            }
        }
    }
}

/// What a suspect gets of all that there is for them.
#[derive(Clone, Copy, Default)]
struct Part {
    place: usize,
    size: f64,
    weight: f64,
    /// Allocations per second, and how many of them at most are samples.
    number: f64,
    most: f64,
    finest: f64,
    coarsest: f64,
}

impl Part {
    /// Of a suspect of which so many bytes are asked for per second, where a generation usually lasts that long.
    fn of(place: usize, suspect: &Suspect, bounds: Bounds, asked: f64, usual: f64) -> Self {
        let size = f64::from(suspect.size.max(1));
        let number = asked / size;
        let finest = bounds.finest.max(suspect.stay.max(suspect.now) / MAX_SAMPLES_PER_CYCLE);
        let most = number * (-(-size / finest).exp_m1()).min(SAMPLED_RATIO);
        let weight = suspect.weight(asked * usual);
        Self { place, size, weight, number, most, finest, coarsest: bounds.coarsest }
    }

    /// Samples per second.
    fn rate(&self, quota: f64) -> f64 {
        (quota * self.weight).min(self.most)
    }

    /// The mean for that; 0 where that of the class is as fine.
    fn mean(&self, quota: f64) -> f64 {
        let part = self.rate(quota) / self.number.max(1e-3);
        let mean = mean_of_part(self.size, part).max(self.finest);
        if mean < self.coarsest { mean.round().max(1.0) } else { 0.0 }
    }
}

#[cfg(test)]
#[path = "suspects_tests.rs"]
mod tests;
