//! How often to sample: as often as the budget allows, and where it tells most.
//!
//! In: what the samples of each class cost and told since the last step. Out: a mean for each class. A class is one of sizes, of threads
//! that run Python or of others ([`crate::strata`]). Pure: no clock, no state but its own.
//!
//! Two aims. All classes at the mean that was asked for, as long as a part of the budget pays for it; coarser, all alike,
//! beyond. And what is left of the budget to the classes that are sampled least, down to a floor: sizes that the program
//! seldom asks for are watched closely at little cost, and small steady leaks are there.
//!
//! Once trials have begun, points lie denser than samples, as many to each class, and part of the samples goes to the sizes
//! of which something stays. A short training has only its first seconds to tell by; in a long one all of it takes a smaller part of
//! the time from then on, and still tells more in all.

use crate::alloc_class::MAX_SIZE_BYTES;
use crate::quota::{mean_of_part, quota};
use crate::strata::{STRATA, class_of};

/// The mean that is usually asked for.
const DEFAULT_MEAN_BYTES: f64 = 512.0 * 1024.0;
/// Samples per second of CPU time, per share of overhead: 3,000 at 2 %.
const SAMPLES_PER_OVERHEAD: f64 = 150_000.0;
/// What of the overhead may go into samples; the rest is the hooks themselves, and doubt. Who asks for finer samples than
/// usual gets up to all of it for them.
const SAMPLES_RATIO: f64 = 0.4;
/// What of this goes into samples while a framework is imported, before any training: stacks are cold then, and what is made is made
/// once and by one line. No class is refined for it, so all classes alike get nearly what they get otherwise.
const IMPORTS_RATIO: f64 = 0.5;
/// What of the overhead goes to suspects once trials have begun.
const SUSPECTS_RATIO: f64 = 0.14;
/// What was not spent on them in so many seconds of CPU time is kept for them, the import's among it, and spent within
/// half a second: the first cycles decide what is seen of a short training.
const CREDIT_OF_SUSPECTS: f64 = 4.0;
const SPEND_WITHIN: f64 = 0.5;
/// Trials per second of CPU time, per share of overhead: 16,000 at 2 %, about a third of a percent of the time.
const TRIALS_PER_OVERHEAD: f64 = 800_000.0;
/// How many times as many there are in the first second of a training, as a short one has only its first cycles to tell by; after two there
/// are no more than usual.
const START_FACTOR: f64 = 2.0;
const AT_FIRST: f64 = 2.0;
/// How much more of the trials a class with suspects gets.
const SUSPECT_FACTOR: f64 = 16.0;
/// Seconds of CPU time after which trials, suspects and refinement get less, and the least part of it that they keep; and so do all
/// classes alike, unless somebody asked for finer samples than usual: of a size that stays, trials tell and suspects have
/// means of their own.
const EARLY_CPU_SECONDS: f64 = 6.0;
const MIN_LATE_RATIO: f64 = 0.25;
/// What of the samples may go into all classes alike.
const FOR_ALL_ALIKE: f64 = 0.6;
/// No mean is larger, whatever it costs.
const MAX_MEAN_BYTES: f64 = 64.0 * 1024.0 * 1024.0;
/// No mean is smaller, however cheap it is.
const MIN_MEAN_BYTES: f64 = 4096.0;
/// Of sizes of which so large a part would be samples that the mean is below this part of them, all are, by a mean of that part: a tenth more
/// samples, and what a pipeline has in flight is known to the block. One that was missed among fifty made a run of 20 epochs undecided.
const MIN_MEAN_RATIO: f64 = 0.4;
const ALL: f64 = 1.0 / 6.0;
/// How much finer than asked for a class may get.
const REFINEMENT: f64 = 128.0;
/// Most that a mean changes in one step.
const MAX_MEAN_FACTOR: f64 = 4.0;
/// Changes below this are not worth drawing anew.
const MIN_CHANGE_FACTOR: f64 = 1.25;
/// How long the past is remembered, in seconds of CPU time.
const MEMORY: f64 = 1.0;
const COST_DECAY_SECONDS: f64 = 0.2;
/// So many samples of such a cost are supposed to have been before the first, in seconds of CPU time.
const PRIOR_SAMPLES: f64 = 20.0;
const PRIOR_COST_SECONDS: f64 = 4e-6;
const PRIOR_CPU_SECONDS: f64 = 0.1;
/// What was not spent in so many seconds may be spent later; a program begins with half of it: its imports have cold
/// stacks, which cost most.
const CREDIT: f64 = 1.0;
/// So many samples may live before the floor rises.
const LIVE: f64 = 40_000.0;

/// What happened since the last step.
pub(crate) struct Window<'a> {
    /// CPU time of the process, in seconds.
    pub(crate) cpu: f64,
    /// Time spent on samples of classes, in seconds.
    pub(crate) cost: f64,
    /// How many these were, in each class.
    pub(crate) samples: &'a [u32; STRATA],
    /// Bytes asked for in each class, as points tell.
    pub(crate) asked: &'a [f64; STRATA],
    /// Trials have begun.
    pub(crate) trials: bool,
    /// A framework is being imported just now.
    pub(crate) importing: bool,
    /// A bit for each class with suspects.
    pub(crate) suspects: u64,
    /// Time spent on suspects, in seconds, and samples of them.
    pub(crate) suspects_cost: f64,
    pub(crate) suspects_count: f64,
    /// Samples that are alive.
    pub(crate) live: u64,
}

pub(crate) struct Governor {
    sample: f64,
    overhead: f64,
    share: f64,
    pub(crate) means: [f64; STRATA],
    /// Between points: at most those.
    pub(crate) points: [f64; STRATA],
    /// Bytes of each class, fading.
    bytes: [f64; STRATA],
    /// CPU time behind them, fading.
    time: f64,
    /// The same, as points tell, fading faster: what a trace made says nothing about the steps after it.
    lately: [f64; STRATA],
    latest: f64,
    /// Cost and number of samples, fading.
    cost: f64,
    count: f64,
    /// Time spent beyond the budget, in seconds; below zero what is left of it.
    debt: f64,
    /// Of suspects: time that was not spent, and what a sample costs, in seconds.
    credit: f64,
    each: f64,
    /// Trials had begun at the last step.
    trained: bool,
    /// CPU time since they began, in seconds.
    training: f64,
}

impl Governor {
    pub(crate) fn new(sample: u32, overhead: f64) -> Self {
        let sample = f64::from(sample);
        let share = (SAMPLES_RATIO * DEFAULT_MEAN_BYTES / sample).clamp(SAMPLES_RATIO, 1.0);
        Self {
            sample,
            overhead,
            share,
            means: [sample; STRATA],
            points: [sample; STRATA],
            bytes: [0.0; STRATA],
            time: PRIOR_CPU_SECONDS,
            lately: [0.0; STRATA],
            latest: 0.1,
            // Until it is known.
            cost: PRIOR_SAMPLES * PRIOR_COST_SECONDS,
            count: PRIOR_SAMPLES,
            debt: -0.5 * CREDIT * overhead * share * MEMORY,
            credit: 0.0,
            each: 10e-6,
            trained: false,
            training: 0.0,
        }
    }

    /// Takes the window into account and sets the means; true if any has changed.
    pub(crate) fn step(&mut self, window: &Window<'_>) -> bool {
        let fade = (-window.cpu / MEMORY).exp();
        self.time = self.time * fade + window.cpu;
        let fast = (-window.cpu / COST_DECAY_SECONDS).exp();
        self.latest = self.latest * fast + window.cpu;
        let mut count = 0.0;
        for ((bytes, mean), samples) in self.bytes.iter_mut().zip(&self.means).zip(window.samples) {
            *bytes = *bytes * fade + f64::from(*samples) * mean;
            count += f64::from(*samples);
        }
        for (lately, asked) in self.lately.iter_mut().zip(window.asked) {
            *lately = *lately * fast + asked;
        }
        self.cost = self.cost * fade.max(0.1) + window.cost;
        self.count = self.count * fade.max(0.1) + count;
        let share = if window.trials { self.share - SUSPECTS_RATIO } else { self.share };
        let is_less = window.importing && !window.trials && self.sample >= DEFAULT_MEAN_BYTES;
        let (part, for_all) = if is_less { (IMPORTS_RATIO, 1.0) } else { (1.0, FOR_ALL_ALIKE) };
        let budget = self.overhead * share * part;
        self.debt =
            (self.debt + window.cost - budget * window.cpu).clamp(-CREDIT * budget * MEMORY, budget * MEMORY);
        let begins = window.trials && !std::mem::replace(&mut self.trained, window.trials);
        self.training += if window.trials { window.cpu } else { 0.0 };
        let rates = self.rates(self.affordable(budget), for_all, window.live);
        let changed = if begins { self.begin_again() } else { self.follow(&rates) };
        self.keep_account(window);
        self.follow_points(window) || changed
    }

    /// What an import and a trace asked for, with stacks that were cold, says nothing about the training: it begins with the mean that was
    /// asked for and without debts. A short one has only its first cycles to tell by.
    fn begin_again(&mut self) -> bool {
        self.means = self.means.map(|mean| mean.min(self.sample));
        (self.bytes, self.time) = ([0.0; STRATA], PRIOR_CPU_SECONDS);
        (self.cost, self.count) = (PRIOR_SAMPLES * PRIOR_COST_SECONDS, PRIOR_SAMPLES);
        self.debt = self.debt.min(0.0);
        true
    }

    /// Of what suspects cost.
    fn keep_account(&mut self, window: &Window<'_>) {
        let budget = self.overhead * SUSPECTS_RATIO * self.ease();
        let most = budget * CREDIT_OF_SUSPECTS;
        self.credit = (self.credit + budget * window.cpu - window.suspects_cost).clamp(-most, most);
        if window.suspects_count > 0.0 {
            let each = window.suspects_cost / window.suspects_count;
            self.each += (each - self.each) * (window.suspects_count / 100.0).min(0.5);
        }
    }

    /// Samples per second of CPU time that suspects may have.
    pub(crate) fn for_suspects(&self) -> f64 {
        let budget = self.overhead * SUSPECTS_RATIO * self.ease();
        (budget + self.credit / SPEND_WITHIN).max(budget / 4.0) / self.each.clamp(1e-6, 50e-6)
    }

    /// The part of their budget that trials, suspects and refinement still get.
    fn ease(&self) -> f64 {
        (EARLY_CPU_SECONDS / self.training.max(EARLY_CPU_SECONDS)).max(MIN_LATE_RATIO)
    }

    /// By how much the finest means grow, as there are very many samples.
    pub(crate) fn crowd(live: u64) -> f64 {
        let crowd = (live as f64 / LIVE).max(1.0);
        crowd * crowd
    }

    /// Trials per second of CPU time.
    fn trials(&self) -> f64 {
        let at_first = (AT_FIRST / self.training.max(1e-3)).clamp(1.0, START_FACTOR);
        self.overhead * TRIALS_PER_OVERHEAD * self.ease() * at_first
    }

    /// Samples per second of CPU time that the budget allows.
    fn affordable(&self, budget: f64) -> f64 {
        let each = (self.cost / self.count.max(1.0)).clamp(0.5e-6, 100e-6);
        let by_cost = budget / each;
        // Who asks for finer samples than usual gets what the cost allows.
        let by_count =
            self.overhead * SAMPLES_PER_OVERHEAD * (DEFAULT_MEAN_BYTES / self.sample).clamp(1.0, 4.0);
        // A debt is paid back within some seconds; what was not spent may be.
        let debt = self.debt / (budget * MEMORY);
        let by_cost = by_cost * if debt < 0.0 { 1.0 - debt } else { 1.0 / (1.0 + debt) };
        by_cost.min(by_count)
    }

    /// The wanted mean of each class, where the part `for_all` of the samples may go into all of them alike.
    fn rates(&self, affordable: f64, for_all: f64, live: u64) -> [f64; STRATA] {
        let finest = ((self.sample / REFINEMENT).max(MIN_MEAN_BYTES) * Self::crowd(live)).min(MAX_MEAN_BYTES);
        let flow: [f64; STRATA] =
            std::array::from_fn(|class| self.bytes.get(class).unwrap_or(&0.0) / self.time);
        let together = flow.iter().sum::<f64>().max(1.0);
        // All classes alike: as asked for, or as much as a part of the budget pays.
        let ease = if self.sample < DEFAULT_MEAN_BYTES { 1.0 } else { self.ease() };
        let alike = (ease / self.sample).min(for_all * affordable * ease / together);
        // At least, and at most, this many samples of a class per second.
        let bounds = |flow: f64| (flow * alike, (flow / finest).max(flow * alike));
        let total = |quota: f64| -> f64 {
            flow.iter().map(|flow| bounds(*flow)).map(|(least, most)| quota.min(most).max(least)).sum()
        };
        let low = quota(affordable * self.ease(), total);
        std::array::from_fn(|class| {
            let flow = *flow.get(class).unwrap_or(&0.0);
            let (least, most) = bounds(flow);
            let rate = low.min(most).max(least);
            let wanted = if flow > 0.0 && rate > 0.0 { flow / rate } else { finest };
            let size = size(class);
            let wanted = if wanted < MIN_MEAN_RATIO * size { wanted.min(ALL * size) } else { wanted };
            wanted.clamp(finest.min(self.sample), MAX_MEAN_BYTES)
        })
    }

    fn follow(&mut self, wanted: &[f64; STRATA]) -> bool {
        let mut changed = false;
        for (mean, wanted) in self.means.iter_mut().zip(wanted) {
            let next = wanted.clamp(*mean / MAX_MEAN_FACTOR, *mean * MAX_MEAN_FACTOR);
            let worth = next > *mean * MIN_CHANGE_FACTOR || next < *mean / MIN_CHANGE_FACTOR;
            if worth {
                *mean = next;
                changed = true;
            }
        }
        changed
    }

    /// Where points lie: as dense as trials may be, at once, since what trials cost is soon seen.
    fn follow_points(&mut self, window: &Window<'_>) -> bool {
        let tried = |class: usize| window.trials && (1_usize << class_of(class)) < MAX_SIZE_BYTES;
        // How many there are in a second.
        let number: [f64; STRATA] =
            std::array::from_fn(|class| self.lately.get(class).unwrap_or(&0.0) / self.latest / size(class));
        let more = |class: usize| if window.suspects >> class & 1 == 1 { SUSPECT_FACTOR } else { 1.0 };
        let share = quota(self.trials(), |share| {
            let of_class = |(class, number): (usize, &f64)| (share * more(class)).min(*number);
            number.iter().enumerate().filter(|(class, _)| tried(*class)).map(of_class).sum()
        });
        let mut changed = false;
        let classes = self.points.iter_mut().zip(&self.means).zip(number).enumerate();
        for (class, ((points, mean), number)) in classes {
            let dense = || mean_of_part(size(class), share * more(class) / number.max(1e-3));
            let wanted = if tried(class) { dense().clamp(1.0, *mean) } else { *mean };
            if wanted > *points * MIN_CHANGE_FACTOR || wanted < *points / MIN_CHANGE_FACTOR || *points > *mean
            {
                *points = wanted;
                changed = true;
            }
        }
        changed
    }
}

/// Of an allocation in the middle of its class.
fn size(class: usize) -> f64 {
    (1_u64 << class_of(class)) as f64 * 1.5
}

#[cfg(test)]
#[path = "governor_tests.rs"]
mod tests;
