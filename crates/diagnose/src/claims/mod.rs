//! What each instrument says of the memory that a cycle leaves behind, in bytes per cycle.
//!
//! In: evidence: readings, collections, scans of containers, samples, bounds in the source. Out: what was [`Counted`], and claims. What
//! must not happen here: a verdict, or an instrument that changes the claim of another one.
//!
//! Live memory per cycle = kept + garbage + filling + numbers + in flight + noise. A leak is what is kept. Each file bounds one part.

pub(crate) mod bounds;
mod containers;
mod first_cycles;
mod in_flight;
mod lower_band;
mod numbers;
mod reason;
mod sites;

use nilometer_stats::Interval;

pub(crate) use reason::ClaimReason;
pub(crate) use sites::{sum, suspects};

use containers::Containers;

use crate::counted::{Counted, Filling, State};
use crate::cycles::Cycles;
use crate::holders::HolderEvidence;
use crate::numbers::{HALF, NEARLY_ALL};
use crate::report::Finding;
use crate::sites::{Setting, Sites};

/// Who says something. Where several say that memory is kept, the first of this list is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Instrument {
    /// Live memory, read at the end of each cycle, less what the collector may take back.
    Counters,
    /// Containers of the user's that scans saw grow.
    Containers,
    /// The same, where native code keeps memory for each of their elements.
    NativeElements,
    /// Survivors of sampled allocations, by the line that made them.
    Sites,
    /// Each of the first cycles, where the run is one cycle too short for the counters.
    FirstCycles,
    /// Containers of the user's that get as many heavy elements with each cycle.
    EvenContainers,
}

/// So much stays of each cycle, and is no garbage.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    pub(crate) by: Instrument,
    pub(crate) kept: Interval,
    /// True if all memory below the holder was measured: then the claim is complete.
    pub(crate) is_whole: bool,
    /// The first judged point that it speaks of.
    pub(crate) since: usize,
    pub(crate) reason: ClaimReason,
}

impl Claim {
    /// Whether nothing beyond it is left of a growth of so many bytes.
    pub(crate) fn carries(&self, growth: f64) -> bool {
        carries(self.kept.estimate, self.is_whole, growth)
    }
}

/// The same test for a number of bytes. A partial measurement may be less than the truth.
fn carries(bytes: f64, is_whole: bool, growth: f64) -> bool {
    let share = if is_whole { NEARLY_ALL } else { HALF };
    bytes >= share * growth
}

/// No more than so much stays of each cycle, although live memory grows by more, or moves too much to tell.
#[derive(Clone, Debug)]
pub(crate) struct Limit {
    pub(crate) rate: Interval,
    pub(crate) filling: Option<Filling>,
    pub(crate) reason: ClaimReason,
}

/// Who says that memory is kept, in the order of [`Instrument`].
pub(crate) fn kept(
    counted: &Counted,
    cycles: &Cycles,
    held: &HolderEvidence,
    sites: Option<&Sites>,
) -> Vec<Claim> {
    let mut out: Vec<Claim> = by_counters(counted).into_iter().collect();
    let containers = Containers::of(held, counted, cycles);
    out.extend(containers.claim());
    if counted.state == State::Grows {
        return out;
    }
    out.extend(containers.by_native());
    out.extend(sites.and_then(|sites| sites::claim(sites, counted, cycles)));
    out.extend(sites.and_then(|sites| first_cycles::claim(sites, counted, cycles, held)));
    out.extend(containers.evenly());
    out
}

/// Who says that no more is kept than what cannot matter, although the counters, or a claim, see a growth of `rate` that these findings
/// explain.
pub(crate) fn limit(
    (rate, findings): (Option<Interval>, &[Finding]),
    is_sure: bool,
    setting: &Setting,
    held: &HolderEvidence,
    sites: Option<&Sites>,
) -> Option<Limit> {
    let noted = rate.and_then(|rate| numbers::limit((rate, findings), is_sure, setting, held, sites));
    let is_open = !is_sure && findings.is_empty();
    noted.or_else(|| in_flight::limit(sites.filter(|_| is_open)?, setting))
}

/// Who says that a growth may be over.
pub(crate) fn over(sites: Option<&Sites>, counted: &Counted, cycles: &Cycles) -> Option<ClaimReason> {
    sites::over(sites?, counted, cycles)
}

/// What the counters claim by themselves.
fn by_counters(counted: &Counted) -> Option<Claim> {
    let kept = counted.rate.filter(|_| counted.state == State::Grows)?;
    let (since, reason) = (counted.since, ClaimReason::Counted(counted.reason));
    Some(Claim { by: Instrument::Counters, kept, is_whole: true, since, reason })
}
