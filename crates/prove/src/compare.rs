//! The effect of an intervention on the growth: both growths have an interval, and so has the rest.
//!
//! In: growth per cycle without and with the intervention. Out: a verdict, and the share of the growth that
//! is gone. What must not happen here: "cures" for a run that did not show it, or "no effect" for one that
//! was too noisy to show any.

use nilometer_diagnose::{Bytes, Device, Report, Verdict};
use serde::Serialize;

use crate::subject::Subject;

/// The effect of an intervention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The remaining growth, if any, is at most a tenth or too small to matter.
    Cures,
    /// Clearly less growth, but still growth.
    Reduces,
    /// The program grows as it did.
    NoEffect,
    /// The runs do not decide it.
    Undecided,
}

/// A share of the growth with its 95 % interval: 1 is all of it. Below 0 where there is more growth than before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    /// The best single number.
    pub estimate: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The result of one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// The verdict on the run.
    pub verdict: Verdict,
    /// Growth per cycle; null with too few cycles.
    pub growth: Option<Bytes>,
    /// The unit that repeats.
    pub unit: &'static str,
    /// Number of cycles that ended.
    pub cycles: u64,
}

impl Measured {
    /// What a run's report says of this subject.
    pub fn of(report: &Report, subject: &Subject) -> Self {
        let (verdict, growth, unit) = match subject {
            Subject::Program => {
                let growth = report.growth.as_ref().map(|growth| growth.bytes_per_cycle);
                (report.job.program, growth, report.cycles.unit)
            }
            Subject::Device { name, framework } => on_device(report, name, framework),
        };
        Self { verdict, growth, unit, cycles: report.cycles.count }
    }

    /// Its leak, if it has one.
    pub fn leak(&self) -> Option<Bytes> {
        self.growth.filter(|growth| self.verdict == Verdict::Leak && growth.low > 0)
    }
}

/// What tensors have in use on a device. A counter has no noise, so that no growth is a growth of zero. A run that did not use the device
/// shows nothing.
fn on_device(report: &Report, name: &str, framework: &str) -> (Verdict, Option<Bytes>, &'static str) {
    let is_it = |device: &&Device| device.name == name && device.framework == framework;
    let Some(device) = report.devices.iter().find(is_it) else {
        return (Verdict::Undecided, None, report.cycles.unit);
    };
    match &device.growth {
        Some(growth) => (device.verdict, Some(growth.bytes_per_cycle), growth.unit),
        None if device.verdict == Verdict::NoLeak => {
            (Verdict::NoLeak, Some(Bytes { estimate: 0, low: 0, high: 0 }), report.cycles.unit)
        }
        None => (Verdict::Undecided, None, report.cycles.unit),
    }
}

impl Comparison {
    /// Clearly less growth, but more cycles are needed to see whether any is left.
    pub fn is_open(&self) -> bool {
        self.effect == Effect::Reduces && self.removed.is_some_and(|share| share.high > 1.0 - MAX_LEFT_RATIO)
    }
}

/// The comparison of two runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The verdict.
    pub effect: Effect,
    /// The share of the growth that is gone; none if one of the two is unknown.
    pub removed: Option<Share>,
}

/// Largest remaining share of a cured growth.
const MAX_LEFT_RATIO: f64 = 0.1;
/// A smaller share is not called a reduction, however certain it is.
const MIN_REDUCTION_RATIO: f64 = 0.1;
/// A run that keeps at least this share of the growth shows that the intervention is not the cure.
const MIN_UNCHANGED_RATIO: f64 = 0.75;
/// 95 % of a normal distribution lie within this many standard deviations on either side.
const NORMAL_95_Z: f64 = 1.96;

/// Compares a run with the intervention to `leak`, the growth without it, in cycles of `unit`.
pub fn compare(leak: Bytes, unit: &str, with: &Measured) -> Comparison {
    let undecided = Comparison { effect: Effect::Undecided, removed: None };
    let Some(left) = with.growth.filter(|_| with.unit == unit) else { return undecided };
    let removed = share(leak, left);
    let max_left = (MAX_LEFT_RATIO * leak.low as f64).max(floor(unit));
    let bounded =
        left.high as f64 <= max_left || (with.verdict == Verdict::NoLeak && left.estimate as f64 <= max_left);
    // Memory that falls all the time was filled before; that says nothing about the cause of the growth.
    let falls = left.high < 0 && left.high < -leak.estimate / 2;
    let effect = if falls {
        Effect::Undecided
    } else if bounded {
        Effect::Cures
    } else if left.high < leak.low {
        if 1.0 - left.high as f64 / leak.low as f64 >= MIN_REDUCTION_RATIO
            || removed.low >= MIN_REDUCTION_RATIO
        {
            Effect::Reduces
        } else {
            Effect::NoEffect
        }
    } else if left.low as f64 >= MIN_UNCHANGED_RATIO * leak.low as f64
        && left.estimate as f64 >= MIN_UNCHANGED_RATIO * leak.estimate as f64
    {
        Effect::NoEffect
    } else {
        Effect::Undecided
    };
    Comparison { effect, removed: Some(removed) }
}

/// The share of `leak` that is missing in `left`; its interval follows the usual rule for a ratio of two
/// estimates.
fn share(leak: Bytes, left: Bytes) -> Share {
    let deviation = |bytes: Bytes| (bytes.high - bytes.low) as f64 / (2.0 * NORMAL_95_Z);
    let (whole, rest) = (leak.estimate as f64, left.estimate as f64);
    let ratio = rest / whole;
    let spread = NORMAL_95_Z * (deviation(left) / whole).hypot(ratio * deviation(leak) / whole);
    let at_most_all = |share: f64| share.min(1.0);
    Share {
        estimate: at_most_all(1.0 - ratio),
        low: at_most_all(1.0 - ratio - spread),
        high: at_most_all(1.0 - ratio + spread),
    }
}

/// Growth per cycle that frameworks cause themselves, and that gives no verdict.
fn floor(unit: &str) -> f64 {
    match unit {
        "epoch" | "fit" => 16.0 * 1024.0,
        "predict" | "request" => 2.0 * 1024.0,
        "window" => 4.0 * 1024.0,
        _ => 256.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: i64 = 1 << 20;

    fn bytes(low: i64, estimate: i64, high: i64) -> Bytes {
        Bytes { estimate, low, high }
    }

    fn leaks() -> Bytes {
        bytes(4 * MIB - MIB / 10, 4 * MIB, 4 * MIB + MIB / 10)
    }

    fn effect(verdict: Verdict, low: i64, estimate: i64, high: i64) -> Effect {
        let with = Measured { verdict, growth: Some(bytes(low, estimate, high)), unit: "epoch", cycles: 16 };
        compare(leaks(), "epoch", &with).effect
    }

    #[test]
    fn growth_that_is_gone_is_cured() {
        assert_eq!(effect(Verdict::NoLeak, -2000, 500, 3000), Effect::Cures);
        // Within a tenth, although it is clearly not zero.
        assert_eq!(effect(Verdict::Leak, 200_000, 250_000, 300_000), Effect::Cures);
        // Wide noise, but the verdict is that nothing grows.
        assert_eq!(effect(Verdict::NoLeak, -2 * MIB, 1000, 2 * MIB), Effect::Cures);
    }

    #[test]
    fn less_growth_is_a_reduction() {
        assert_eq!(effect(Verdict::Leak, 2 * MIB - 1000, 2 * MIB, 2 * MIB + 1000), Effect::Reduces);
    }

    #[test]
    fn the_same_growth_is_no_effect() {
        assert_eq!(effect(Verdict::Leak, 4 * MIB - 1000, 4 * MIB, 4 * MIB + 1000), Effect::NoEffect);
        // Certainly less, but too little to mention.
        assert_eq!(
            effect(Verdict::Leak, 4 * MIB - 200_000, 4 * MIB - 190_000, 4 * MIB - 180_000),
            Effect::NoEffect
        );
        assert_eq!(effect(Verdict::Leak, 9 * MIB, 10 * MIB, 11 * MIB), Effect::NoEffect);
    }

    #[test]
    fn a_leak_that_is_known_badly_is_not_said_to_be_the_same() {
        let badly = bytes(MIB / 4, 4 * MIB, 9 * MIB);
        let half = Measured {
            verdict: Verdict::Leak,
            growth: Some(bytes(2 * MIB - 1000, 2 * MIB, 2 * MIB + 1000)),
            unit: "epoch",
            cycles: 16,
        };
        assert_eq!(compare(badly, "epoch", &half).effect, Effect::Undecided);
    }

    #[test]
    fn noise_says_nothing() {
        assert_eq!(effect(Verdict::Undecided, -3 * MIB, MIB, 5 * MIB), Effect::Undecided);
        let few = Measured { verdict: Verdict::Undecided, growth: None, unit: "epoch", cycles: 3 };
        assert_eq!(compare(leaks(), "epoch", &few), Comparison { effect: Effect::Undecided, removed: None });
        let other = Measured { unit: "fit", growth: Some(bytes(0, 0, 0)), ..few };
        assert_eq!(compare(leaks(), "epoch", &other).effect, Effect::Undecided);
        assert_eq!(effect(Verdict::Undecided, -9 * MIB, -8 * MIB, -7 * MIB), Effect::Undecided);
    }

    #[test]
    fn shares_have_intervals_that_hold_the_estimate_and_end_at_all() {
        let Comparison { removed: Some(share), .. } = compare(
            leaks(),
            "epoch",
            &Measured {
                verdict: Verdict::NoLeak,
                growth: Some(bytes(-40_000, 20_000, 80_000)),
                unit: "epoch",
                cycles: 16,
            },
        ) else {
            unreachable!()
        };
        assert!(share.low < share.estimate && share.estimate < share.high && share.high <= 1.0, "{share:?}");
        assert!((0.97..0.99).contains(&share.low), "{share:?}");
    }
}
