//! Where garbage blurs the first run, another one with a collection in each cycle; if it says more, all runs are like it.
//!
//! In: the first run. Out: the run that the others are compared with. What must not happen here: a growth that a collection
//! ends taken away from the experiments: that it does is what one of them shows.

use nilometer_diagnose::{Bytes, Verdict};
use nilometer_prove::Measured;

use super::results::Result as Ran;
use super::session::Session;
use super::trial::Trial;
use super::watch::Watch;
use crate::messages::Failure;
use crate::words::prove::COLLECTING_RUN;

/// An interval of a growth that is wider than this share of it: its experiments would show little.
const BLURRED: f64 = 0.3;
/// With fewer cycles than these it is the cycles that lack.
const MIN_CYCLES: u64 = 12;

impl Session<'_> {
    /// The first run, or one more in which garbage cannot hide what stays, if that says more; then so are all others.
    pub(super) fn steadier(&mut self, first: Ran, watch: &mut Watch) -> Result<Ran, Failure> {
        let measured = Measured::of(&first.report, &self.subject);
        let Some(growth) = measured.growth.filter(|growth| growth.estimate > 0) else { return Ok(first) };
        let width = |growth: Bytes| (growth.high - growth.low) as f64;
        let blurred = match measured.verdict {
            Verdict::Undecided => first.report.cycles.count >= self.options.cycles.min(MIN_CYCLES),
            Verdict::Leak => width(growth) > BLURRED * growth.estimate as f64,
            Verdict::NoLeak => false,
        };
        let free = watch.interrupted().is_none() && self.left() > 3 * first.took;
        if !(blurred && free && self.options.tries.is_empty()) {
            return Ok(first);
        }
        self.bench.collects = true;
        let mut trial = Trial::new(COLLECTING_RUN, Vec::new(), self.epochs(&first));
        trial.survey = true;
        let again = self.one(trial, self.patience(&first), watch)?;
        let better = Measured::of(&again.report, &self.subject);
        let says_more = match measured.verdict {
            Verdict::Undecided => better.verdict != Verdict::Undecided,
            // That a collection ends it is for an experiment to say.
            _ => better.leak().is_some_and(|leak| 2.0 * width(leak) < width(growth)),
        };
        self.bench.collects = says_more && better.unit == measured.unit;
        Ok(if self.bench.collects { again } else { first })
    }
}
