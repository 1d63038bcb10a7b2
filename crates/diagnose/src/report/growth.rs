//! How memory grows, when the limit is reached, and what to run next.
//!
//! Sizes are bytes, times are seconds.

use serde::{Deserialize, Serialize};

/// An estimate with its 95 % interval, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bytes {
    /// The best single number.
    pub estimate: i64,
    /// Lower end.
    pub low: i64,
    /// Upper end.
    pub high: i64,
}

impl Bytes {
    /// No more than `most`, which was counted, while this was sampled.
    pub(crate) fn cap(&mut self, most: i64) {
        for end in [&mut self.estimate, &mut self.low, &mut self.high] {
            *end = (*end).min(most);
        }
    }

    /// The same over another stretch, so many times as long.
    pub(crate) fn times(self, factor: f64) -> Self {
        let scale = |bytes: i64| (bytes as f64 * factor).round() as i64;
        Self { estimate: scale(self.estimate), low: scale(self.low), high: scale(self.high) }
    }

    /// Rounds an interval to whole bytes.
    pub fn round(interval: &nilometer_stats::Interval) -> Self {
        Self {
            estimate: interval.estimate.round() as i64,
            low: interval.low.round() as i64,
            high: interval.high.round() as i64,
        }
    }
}

/// Growth of live memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Growth {
    /// Per cycle.
    pub bytes_per_cycle: Bytes,
    /// The first cycle that counts: start-up ends before it.
    pub since_cycle: u64,
    /// What was judged: `live` bytes, or `anonymous` memory where the allocator could not be asked.
    pub basis: &'static str,
    /// Share of it that findings account for; null without a recorder. Sampling makes it an estimate: above 1 at times.
    pub explained: Option<f64>,
    /// Growth by endpoint, of a leak per request or task: those that grow first. Empty where that was not counted.
    pub endpoints: Vec<Endpoint>,
}

/// A kind of request or task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Endpoint {
    /// `POST /score`, or the name of a task.
    pub name: String,
    /// Others that always came together with it, so that they cannot be told apart; the figures are of all of them.
    pub together_with: Vec<String>,
    /// How many ended in the part of the run that counts.
    pub requests: u64,
    /// What memory grows by per request of it.
    pub bytes_per_request: Bytes,
    /// Whether it makes a part of the growth, for sure.
    pub grows: bool,
    /// Whether it makes none that matters.
    pub is_flat: bool,
}

/// A command that would tell more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NextStep {
    /// As it is typed.
    pub command: String,
    /// What it does, and at what price.
    pub why: String,
}

/// When the limit is reached at this rate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forecast {
    /// `cgroup` or `ram`.
    pub limit: &'static str,
    /// The limit.
    pub limit_bytes: u64,
    /// Cycles from the last one on.
    pub cycles_left: u64,
    /// Seconds from the last cycle on; null where the length of a cycle is not known.
    pub seconds_left: Option<f64>,
}
