//! Which phase a growth belongs to.
//!
//! In: the findings, what live memory rose by in each phase, the growth. Out: the phase with most of it. What must not
//! happen here: a phase where the program works, but does not leak; better none than that. Pure.

use std::collections::BTreeMap;

use crate::phases::OWN_WORK;
use crate::report::Finding;

/// A phase has most of a growth from this share on.
const MIN_PHASE_RATIO: f64 = 0.5;
/// So many cycles' growth must be known by phase to name the growing one.
const MIN_CYCLES_BY_PHASE: f64 = 3.0;

/// The phase that findings say most of the growth was made in: they know it of each sample, be phases read or not.
pub(crate) fn born_in(findings: &[Finding], rate: f64) -> Option<String> {
    let mut by_phase: BTreeMap<&str, f64> = BTreeMap::new();
    for finding in findings.iter().filter(|f| f.sites.iter().any(|s| s.role == "made_at")) {
        let made_in = finding.phase.as_deref().unwrap_or(OWN_WORK);
        *by_phase.entry(made_in).or_default() += finding.bytes_per_cycle.estimate as f64;
    }
    by_phase.into_iter().find(|(_, bytes)| *bytes > MIN_PHASE_RATIO * rate).map(|(phase, _)| phase.to_owned())
}

/// The phase that live memory rose in by most of the growth, where enough cycles were read closely enough to tell. Where phases take
/// what other phases give back, as `fit()` copies of data that were made before it, none: the difference of two large flows
/// says where the program works, not where it leaks. Nor where it may be garbage, as a `predict` in a loop makes 160 KiB of.
pub(crate) fn risen_in(by_phase: BTreeMap<String, f64>, rate: f64, sawtooth: f64) -> Option<String> {
    let total: f64 = by_phase.values().sum();
    let given_back: f64 = by_phase.values().filter(|bytes| **bytes < 0.0).sum();
    let (phase, bytes) = by_phase.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let kept = bytes / total * (rate + sawtooth) - sawtooth;
    let is_told = kept > MIN_PHASE_RATIO * rate
        && -given_back < MIN_PHASE_RATIO * total
        && total > MIN_CYCLES_BY_PHASE * rate;
    is_told.then_some(phase)
}

#[cfg(test)]
mod tests {
    use super::risen_in;

    #[test]
    fn what_may_be_garbage_names_no_phase() {
        // Own work keeps 50 KB per cycle and predict() makes 166 KB, all of it garbage; only two beginnings of predict() were read.
        let by_phase = |predict: f64, program: f64| {
            [("predict".to_owned(), predict), ("program".to_owned(), program)].into()
        };
        assert_eq!(risen_in(by_phase(332e3, 100e3), 50e3, 166e3), None);
        assert_eq!(risen_in(by_phase(864e3, 100e3), 216e3, 0.0).as_deref(), Some("predict"));
    }
}
