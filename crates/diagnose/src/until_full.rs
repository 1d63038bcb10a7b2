//! A growth that ends by arithmetic: what a container with a bound keeps is no leak where the bound is in reach.
//!
//! In: a leak with its findings, what scans said of lengths, the limit, the user's source. Out: the leak without what only fills; no leak if
//! nothing else is left, undecided where the program keeps a bound of its own, which this run did not reach. What must not happen here: a leak
//! hidden behind a container that fills; a bound that this job, or the machine's memory, never reaches taken for an end.

use nilometer_stats::Interval;

use crate::cycles::Cycles;
use crate::held::level::words;
use crate::held::{Held, OwnBound, Room, WEIGHED, own_bound};
use crate::judge::Judgement;
use crate::lookup::Lookup;
use crate::program::Limit;
use crate::report::{Component, Finding, Kind, Verdict};
use crate::sizes::size;

/// All of it may take this share of what the limit leaves free, ...
const OF_FREE: f64 = 0.5;
/// ... and it must be near, or take no more than this.
const SMALL: f64 = 256.0 * 1024.0 * 1024.0;
/// Growth beside it of this share may be what was not weighed of it.
const REST: f64 = 0.25;
/// Cycles beyond a bound that show that it holds.
const BEYOND: u64 = 6;
/// A bound in bytes was passed if so many times as much was kept.
const PASSED: f64 = 1.5;

/// What is left of a judgement without what fills.
pub(crate) struct Settled {
    pub(crate) judgement: Judgement,
    pub(crate) findings: Vec<Finding>,
    /// One for each container that fills.
    pub(crate) filling: Vec<Component>,
    /// The share of the growth that the findings account for.
    pub(crate) explained: Option<f64>,
}

/// What a bound is compared with.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) held: &'a Held<'a>,
    pub(crate) cycles: &'a Cycles,
    pub(crate) limit: Option<Limit>,
    pub(crate) folder: Option<&'a str>,
}

/// What becomes of the container that a finding accuses.
enum End {
    /// It is full soon enough.
    Full(Component),
    /// The program bounds it, and this run did not show that: by so many more cycles, where the source says at how many elements.
    Open(Component, Option<f64>),
    /// It has a bound that is out of reach, or none.
    Far(Option<u64>),
}

/// Takes what fills out of a leak.
pub(crate) fn settle(
    (judgement, findings, explained): (Judgement, Vec<Finding>, Option<f64>),
    job: Job,
    lookup: &mut dyn Lookup,
) -> Settled {
    let cycles = job.cycles;
    let rate = judgement.rate.filter(|_| judgement.verdict == Verdict::Leak);
    let (mut full, mut rest, mut open) = (Vec::new(), Vec::new(), Vec::new());
    for mut finding in findings {
        match rate.map_or(End::Far(None), |_| job.end(&finding, lookup)) {
            End::Full(component) => full.push(component),
            End::Open(component, cycles) => {
                open.push(cycles);
                full.push(component);
            }
            End::Far(bound) => {
                if let Some(holder) = finding.holder.as_mut() {
                    holder.bound = holder.bound.or(bound);
                }
                rest.push(finding);
            }
        }
    }
    let (Some(rate), false) = (rate, full.is_empty()) else {
        return Settled { judgement, findings: rest, filling: Vec::new(), explained };
    };
    let fills: f64 = full.iter().filter_map(|c| c.bytes_per_cycle).sum::<i64>() as f64;
    let beside = Interval {
        estimate: rate.estimate - fills,
        low: rate.low - (1.0 + WEIGHED) * fills,
        high: (rate.high - fills).max(0.0),
    };
    let nothing_else = beside.estimate <= REST * rate.estimate && beside.low <= cycles.unit.floor();
    let sure = |f: &Finding| f.confidence != "possible" && f.bytes_per_cycle.low as f64 > cycles.unit.floor();
    let rest: Vec<Finding> = if nothing_else { rest.into_iter().filter(sure).collect() } else { rest };
    if rest.is_empty() && nothing_else && !open.is_empty() {
        let reason = format!(
            "what live memory grows by is kept by what the program itself bounds, and this run did not show that it ends: {}",
            sentences(&full),
        );
        let judgement = Judgement {
            verdict: Verdict::Undecided,
            reason,
            needed: Some(needed(&open, cycles.count)),
            rate: Some(rate),
            ..judgement
        };
        return Settled { judgement, findings: rest, filling: full, explained: None };
    }
    if rest.is_empty() && nothing_else {
        let reason = format!(
            "what live memory grows by is kept by what fills and ends: {} (beside it at most {} per {})",
            sentences(&full),
            size(beside.high),
            cycles.unit.word()
        );
        let judgement = Judgement {
            verdict: Verdict::NoLeak,
            reason,
            needed: None,
            rate: Some(beside),
            at_most: beside.high,
            ..judgement
        };
        return Settled { judgement, findings: rest, filling: full, explained: None };
    }
    // What fills made the growth sure; what is beside it must be so by itself.
    if rest.is_empty() && beside.low <= cycles.unit.floor() {
        let unit = cycles.unit.word();
        let reason = format!(
            "most of what live memory grows by is kept by what fills and ends: {}; beside it the {unit}s differ too much to tell a \
             growth of up to {} per {unit} from none",
            sentences(&full),
            size(beside.high),
        );
        let judgement = Judgement {
            verdict: Verdict::Undecided,
            reason,
            needed: Some(cycles.count),
            rate: Some(beside),
            at_most: beside.high,
            ..judgement
        };
        return Settled { judgement, findings: rest, filling: full, explained: None };
    }
    let told: i64 = rest.iter().map(|f| f.bytes_per_cycle.estimate).sum();
    let estimate = beside.estimate.max(told as f64).min(rate.estimate);
    let beside =
        Interval { estimate, low: beside.low.min(estimate).max(0.0), high: beside.high.max(estimate) };
    let explained = (!rest.is_empty() && estimate > 0.0).then_some(told as f64 / estimate);
    let judgement = Judgement { rate: Some(beside), ..judgement };
    Settled { judgement, findings: rest, filling: full, explained }
}

/// Cycles until all of it has been full for some; twice the run where nobody knows.
fn needed(open: &[Option<f64>], count: u64) -> u64 {
    let until = |cycles: &Option<f64>| cycles.map_or(count, |cycles| cycles.ceil() as u64 + BEYOND);
    open.iter().map(until).max().unwrap_or(count)
}

fn sentences(filling: &[Component]) -> String {
    filling.iter().map(|c| c.sentence.as_str()).collect::<Vec<_>>().join("; ")
}

impl Job<'_> {
    fn end(self, finding: &Finding, lookup: &mut dyn Lookup) -> End {
        let Some(holder) = finding.holder.as_ref() else { return End::Far(None) };
        if holder.bound.is_some() {
            let room = self.held.room(&holder.path, self.cycles);
            return room.and_then(|room| self.full(finding, &room, None)).map_or(End::Far(None), End::Full);
        }
        let Some(own) = own_bound(finding, self.folder, lookup) else { return End::Far(None) };
        if let Some(bytes) = own.bytes {
            return self.of_bytes(finding, bytes, &own);
        }
        let Some(bound) = own.elements else { return End::Open(self.open(finding, &own), None) };
        if self.held.length(&holder.path).is_some_and(|length| length > bound) {
            return End::Far(None);
        }
        match self.held.room_below(&holder.path, bound, self.cycles) {
            // Only a run shows that the line does what it says.
            Some(room) => self
                .full(finding, &room, Some(&own))
                .map_or(End::Far(Some(bound)), |component| End::Open(component, Some(room.cycles))),
            None => End::Open(self.open(finding, &own), None),
        }
    }

    /// What the program bounds at so many bytes. What is there is no more than an estimate, the cycles until then are, too.
    fn of_bytes(self, finding: &Finding, bound: u64, own: &OwnBound) -> End {
        let per_cycle = finding.bytes_per_cycle.estimate.max(1) as f64;
        let there = per_cycle * self.cycles.count as f64;
        let more = bound as f64 - there;
        let fits = self.limit.is_none_or(|limit| more <= OF_FREE * limit.headroom as f64);
        let near = Room::is_so_near(more / per_cycle, self.cycles.count) || more <= SMALL;
        // It has passed it.
        let is_passed = there > PASSED * bound as f64;
        if is_passed || !fits || !near {
            return End::Far(None);
        }
        End::Open(self.open(finding, own), Some((more / per_cycle).max(0.0)))
    }

    /// What fills, if it is full soon enough.
    fn full(self, finding: &Finding, room: &Room, own: Option<&OwnBound>) -> Option<Component> {
        let more = room.cycles * finding.bytes_per_cycle.estimate.max(0) as f64;
        let fits = self.limit.is_none_or(|limit| more <= OF_FREE * limit.headroom as f64);
        let near = room.is_near(self.cycles.count) || more <= SMALL;
        let path = finding.holder.as_ref().map_or("", |holder| holder.path.as_str());
        let (name, by) = match own {
            Some(own) => (words(path), format!(" by `{}` ({})", own.text, own.place)),
            None => (room.name.as_str(), String::new()),
        };
        let sentence = format!(
            "{name} is full with {} elements{by}, in {:.0} more {}s and with {} more",
            room.bound,
            room.cycles.ceil(),
            self.cycles.unit.word(),
            size(more)
        );
        (fits && near).then(|| self.component(finding, sentence))
    }

    /// What the program bounds, at a number that nobody knows or that it comes to nobody knows when.
    fn open(self, finding: &Finding, own: &OwnBound) -> Component {
        let path = finding.holder.as_ref().map_or("", |holder| holder.path.as_str());
        let has = self.held.length(path).map_or(String::new(), |length| format!(", with {length} elements"));
        let at = match (own.elements, own.bytes) {
            (Some(bound), _) => format!(" at {bound} elements"),
            (None, Some(bytes)) => format!(" at {}", size(bytes as f64)),
            (None, None) => String::new(),
        };
        let sentence =
            format!("{} fills{has}, until `{}` ends that{at} ({})", words(path), own.text, own.place);
        self.component(finding, sentence)
    }

    fn component(self, finding: &Finding, sentence: String) -> Component {
        let per_cycle = finding.bytes_per_cycle.estimate;
        Component {
            kind: Kind::Filling,
            phase: None,
            bytes: per_cycle.saturating_mul(i64::try_from(self.cycles.count).unwrap_or(i64::MAX)),
            bytes_per_cycle: Some(per_cycle),
            sentence,
            made_at: None,
            change: None,
            prove: None,
        }
    }
}
