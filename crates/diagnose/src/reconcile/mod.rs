//! One interval for what is kept of each cycle, from all who claim something of it.
//!
//! In: what was counted, the claims. Out: who is heard, and the interval. What must not happen here: a verdict; a claim that makes another
//! instrument's lower end less sure.

mod adds_up;

use nilometer_stats::Interval;

pub(crate) use adds_up::{add_up, at_least, with_count_error};

use crate::claims::{Claim, ClaimReason, Instrument};
use crate::counted::{Counted, State};
use crate::cycles::Cycles;

/// What is kept of each cycle.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    /// Who is sure of it; `None` where nobody is.
    pub(crate) by: Option<Instrument>,
    /// Bytes per cycle; of what the counters see where nobody is sure.
    pub(crate) rate: Option<Interval>,
    /// What of it lines and holders are to explain; `None` where nobody is sure of any.
    pub(crate) sure: Option<Interval>,
    /// The first judged point that this speaks of.
    pub(crate) since: usize,
    pub(crate) reason: ClaimReason,
    /// Cycles more that would decide; `None` where the interval decides already.
    pub(crate) needed: Option<u64>,
}

impl Kept {
    /// Nobody is sure that anything is.
    fn unsure(counted: &Counted, reason: ClaimReason, needed: Option<u64>) -> Self {
        Self { by: None, rate: counted.rate, sure: None, since: counted.since, reason, needed }
    }
}

/// Hears the first of the claims; the others make its interval narrower, and what was counted beyond it leaves it room. `over`: samples
/// see that a growth is over.
pub(crate) fn reconcile(
    counted: &Counted,
    claims: &[Claim],
    over: impl FnOnce() -> Option<ClaimReason>,
    cycles: &Cycles,
) -> Kept {
    let first = claims.iter().min_by_key(|claim| claim.by);
    let Some(first) = first else {
        return Kept::unsure(counted, ClaimReason::Counted(counted.reason), counted.needed);
    };
    if first.by < Instrument::Sites
        && let Some(reason) = over()
    {
        return Kept::unsure(counted, reason, Some(cycles.count));
    }
    let rate = match first.by {
        Instrument::Counters => {
            let containers = claims.iter().find(|claim| claim.by == Instrument::Containers);
            containers.map_or(first.kept, |claim| narrowed(first.kept, claim.kept))
        }
        Instrument::NativeElements | Instrument::FirstCycles => first.kept,
        Instrument::Containers | Instrument::Sites | Instrument::EvenContainers => beside(first, counted),
    };
    // Beyond what samples are sure of nobody knows what is garbage: no line is to blame for it.
    let sure = if first.by >= Instrument::Sites { first.kept } else { rate };
    let (by, rate, sure) = (Some(first.by), Some(rate), Some(sure));
    Kept { by, rate, sure, since: first.since, reason: first.reason, needed: None }
}

/// Raises the low end of the counted growth to the containers', if theirs lies within it and is tighter.
fn narrowed(rate: Interval, carried: Interval) -> Interval {
    let Interval { estimate, low, .. } = carried;
    if estimate <= rate.estimate || estimate > rate.high || low <= rate.low {
        return rate;
    }
    Interval { estimate, low, high: rate.high }
}

/// Widens the claim by the growth that was counted beyond it, since that may be garbage. Memory that survived a full collection is not.
/// Of too few cycles all that live memory rose by may be kept.
fn beside(claim: &Claim, counted: &Counted) -> Interval {
    let kept = claim.kept;
    if counted.state == State::TooFew {
        return Interval { high: kept.high.max(counted.raw_rise), ..kept };
    }
    let Some(all) = counted.rate.filter(|_| counted.state != State::Bounded) else { return kept };
    let sure = if claim.carries(all.estimate) { all.estimate } else { counted.outlived };
    let low = kept.low.max(all.low);
    // The counters may be sure of more than the claim holds for likely.
    Interval {
        estimate: kept.estimate.max(sure.min(all.estimate)).max(low),
        low,
        high: kept.high.max(all.high),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counted::CountedReason;

    const MIB: f64 = 1024.0 * 1024.0;

    /// Sites are sure of 3.4 to 4.4 MiB per cycle; too few cycles were read, in which live memory rose by so much each.
    fn of_few_cycles(raw_rise: f64) -> Interval {
        let kept = Interval { estimate: 3.8 * MIB, low: 3.4 * MIB, high: 4.4 * MIB };
        beside_sites(kept, State::TooFew, None, raw_rise)
    }

    /// What sites are sure of, beside what the counters say.
    fn beside_sites(kept: Interval, state: State, rate: Option<Interval>, raw_rise: f64) -> Interval {
        let counted = Counted {
            state,
            reason: CountedReason::FewEnded { cycles: 3 },
            needed: Some(4),
            rate,
            at_most: f64::INFINITY,
            since: 0,
            started: 0,
            sawtooth: 0.0,
            outlived: 0.0,
            surely_rose: false,
            even_rise: None,
            raw_rise,
            filling: None,
        };
        let reason = ClaimReason::Survivors { kept: kept.estimate, may_be_more: false };
        let claim = Claim { by: Instrument::Sites, kept, is_whole: true, since: 0, reason };
        beside(&claim, &counted)
    }

    #[test]
    fn a_few_read_cycles_leave_room_for_all_that_rose() {
        let ends = |raw_rise| {
            let Interval { low, high, .. } = of_few_cycles(raw_rise * MIB);
            ((10.0 * low / MIB).round() as i64, (10.0 * high / MIB).round() as i64)
        };
        assert_eq!(ends(8.3), (34, 83), "what sites are sure of stays");
        assert_eq!(ends(2.0), (34, 44), "what fell meanwhile takes nothing away");
    }

    #[test]
    fn an_estimate_lies_within_its_interval() {
        let sites = Interval { estimate: 64.5, low: 48.0, high: 81.0 };
        let counted = Interval { estimate: 83.0, low: 71.6, high: 95.7 };
        let Interval { estimate, low, high } = beside_sites(sites, State::Open, Some(counted), 0.0);
        assert_eq!(
            (estimate, low, high),
            (71.6, 71.6, 95.7),
            "the counters are sure of more than the sites hold"
        );
        let counted = Interval { estimate: 83.0, low: 20.0, high: 95.7 };
        let Interval { estimate, low, .. } = beside_sites(sites, State::Open, Some(counted), 0.0);
        assert_eq!((estimate, low), (64.5, 48.0));
    }
}
