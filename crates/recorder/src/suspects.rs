//! Which sizes stay: those are sampled more closely.
//!
//! In: trials that outlived the cycle after the one they were born in, and what is asked for of each size. Out: a mean for
//! each size that is a suspect. Pure: no clock, no state but its own.
//!
//! A size of which something stayed once is a suspect for some cycles, one of which something stayed again for longer, and it gets a larger
//! share. What stayed when the program began is never made again, and so costs nothing.

use crate::key::{KEYS, Key};
use crate::quota::{NEARLY_ALL, mean_of_part, quota};
use crate::tls::class;

/// So many suspects at a time.
const MOST: usize = 64;
/// Generations after which a size is no suspect any more: one that left something once, and others.
const IMPATIENCE: u32 = 8;
const PATIENCE: u32 = 20;
/// So many samples that stay of each cycle tell all there is to tell.
const ENOUGH: f64 = 16.0;
/// Where less than this part of what is asked for stays, it makes no difference any more how much.
const LEAST_PART: f64 = 0.01;
/// How long flows are remembered, in seconds of CPU time.
const MEMORY: f64 = 1.0;
/// Changes below this are not worth it.
const WORTH: f64 = 1.25;

#[derive(Clone, Copy, Debug, Default)]
struct Suspect {
    size: u32,
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
        let patience = if self.often() > 1 { PATIENCE } else { IMPATIENCE };
        self.born.trailing_zeros() < patience
    }

    /// How large a share it deserves: the more often something stayed, and the more of all that is asked for, which is
    /// `asked` in a generation.
    fn weight(&self, asked: f64) -> f64 {
        let part = self.stay.max(self.now) / asked.max(1.0);
        f64::from(1_u32 << self.often().min(6)) * part.clamp(LEAST_PART, 1.0)
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
    pub(crate) fn stays(&mut self, key: Key, bytes: f64) {
        if let Some(suspect) = self.all.get_mut(usize::from(key.place)) {
            suspect.size = key.size;
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

    /// A bit for each class with suspects.
    pub(crate) fn classes(&self) -> u64 {
        let suspects = self.all.iter().filter(|suspect| suspect.is_one());
        suspects.fold(0, |classes, suspect| classes | 1 << class(suspect.size as usize))
    }

    /// Shares so many samples per second of CPU time out, and says which mean each size gets, 0 for that of its class.
    pub(crate) fn share(
        &mut self,
        affordable: f64,
        bounds: impl Fn(usize) -> Bounds,
        mut set: impl FnMut(usize, u32),
    ) {
        let (mut room, mut count) = ([0_usize; MOST], 0);
        // Those that something stayed of most often first.
        for often in [4..u32::MAX, 0..4] {
            for (place, suspect) in self.all.iter_mut().enumerate() {
                if suspect.is_one()
                    && often.contains(&suspect.often())
                    && let Some(next) = room.get_mut(count)
                {
                    *next = place;
                    count += 1;
                } else if suspect.mean > 0.0 && often.contains(&suspect.often()) {
                    suspect.mean = 0.0;
                    set(place, 0);
                }
            }
        }
        let chosen = room.get(..count).unwrap_or_default();
        let (time, usual) = (self.time, self.usual);
        let bounds = |suspect: &Suspect| {
            let Bounds { finest, coarsest } = bounds(class(suspect.size as usize));
            Bounds { finest: finest.max(suspect.stay.max(suspect.now) / ENOUGH), coarsest }
        };
        let size = |suspect: &Suspect| f64::from(suspect.size.max(1));
        // Allocations per second, and how many of them at most are samples.
        let number = |suspect: &Suspect| suspect.bytes / time / size(suspect);
        let most = |suspect: &Suspect| {
            let part = -(-size(suspect) / bounds(suspect).finest).exp_m1();
            number(suspect) * part.min(NEARLY_ALL)
        };
        let rate = |suspect: &Suspect, quota: f64| {
            (quota * suspect.weight(suspect.bytes / time * usual)).min(most(suspect))
        };
        let found = quota(affordable, |quota| {
            chosen.iter().filter_map(|place| Some(rate(self.all.get(*place)?, quota))).sum()
        });
        for place in chosen.iter().copied() {
            let Some(suspect) = self.all.get_mut(place) else { continue };
            let Bounds { finest, coarsest } = bounds(suspect);
            let part = rate(suspect, found) / number(suspect).max(1e-3);
            let wanted = mean_of_part(size(suspect), part).max(finest);
            let wanted = if wanted < coarsest { wanted.round().max(1.0) } else { 0.0 };
            if wanted > suspect.mean * WORTH || wanted < suspect.mean / WORTH {
                suspect.mean = wanted;
                set(place, wanted as u32);
            }
        }
    }
}

#[cfg(test)]
#[path = "suspects_tests.rs"]
mod tests;
