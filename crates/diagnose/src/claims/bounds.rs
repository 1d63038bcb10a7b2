//! A growth that ends by arithmetic: what a container with a bound keeps is no leak where the bound is in reach.
//!
//! In: findings of a growth, what scans said of lengths, the limit, the user's source. Out: which of them fill, and the growth beside them.
//! What must not happen here: a leak hidden behind a container that fills; a bound that this job, or the machine's memory, never reaches
//! taken for an end.

use crate::numbers::{EXCESS, HALF, MIN_POINTS, PART, SMALL_BYTES};
use nilometer_model::HolderPath;
use nilometer_stats::{Interval, growth};

use crate::cycles::Cycles;
use crate::holders::{Capacity, HolderEvidence, OwnBound, SCAN_ERROR_RATIO, own_bound};
use crate::lookup::Lookup;
use crate::program::Limit;
use crate::report::Finding;

/// All of it may take this share of what the limit leaves free, ...
const MAX_OF_FREE_RATIO: f64 = HALF;
/// Growth beside it of this share may be what was not weighed of it.
const MAX_REST_RATIO: f64 = PART;
/// Cycles beyond a bound that show that it holds.
const BEYOND_CYCLES: u64 = MIN_POINTS as u64;
/// A bound in bytes was passed if so many times as much was kept.
const PASSED_RATIO: f64 = EXCESS;

/// What a bound is compared with.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) held: &'a HolderEvidence<'a>,
    pub(crate) cycles: &'a Cycles,
    pub(crate) limit: Option<Limit>,
    pub(crate) folder: Option<&'a str>,
}

/// The part of a growth that fills and ends.
pub(crate) struct Filled {
    /// One for each container that fills.
    pub(crate) filling: Vec<Filling>,
    /// The growth without it; all of it where nothing fills.
    pub(crate) beside: Interval,
    /// What there is beside it may be what was not weighed of it.
    pub(crate) is_all: bool,
    /// Cycles until the program's own bounds have shown that they hold, where nothing but the source says so.
    pub(crate) unproven: Option<u64>,
}

/// A container that fills.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Filling {
    /// How a person would call it.
    pub(crate) name: String,
    /// What it keeps more with each cycle.
    pub(crate) bytes_per_cycle: i64,
    pub(crate) until: Until,
}

/// When a container is full.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Until {
    /// With so many elements: in so many more cycles, and with so many more bytes. `by`: the statement of the program that says so.
    Full { elements: u64, cycles: f64, more: f64, by: Option<OwnBound> },
    /// The program bounds it, at a number that nobody knows or that it comes to nobody knows when. It has so many elements now.
    Bounded { by: OwnBound, length: Option<u64> },
}

/// What becomes of the container that a finding accuses.
enum End {
    /// It is full soon enough.
    Full(Filling),
    /// The program bounds it, and this run did not show that: in so many more cycles it would, where the source says at how many elements.
    Open(Filling, Option<f64>),
    /// It has a bound that is out of reach, or none.
    Far(Option<u64>),
}

/// Takes the findings out that tell of what fills; the others get the bound that is out of reach.
pub(crate) fn filled(
    findings: Vec<Finding>,
    rate: Interval,
    job: Job,
    lookup: &mut dyn Lookup,
) -> (Vec<Finding>, Filled) {
    let (mut filling, mut rest, mut open) = (Vec::new(), Vec::new(), Vec::new());
    for mut finding in findings {
        match job.end(&finding, lookup) {
            End::Full(one) => filling.push(one),
            End::Open(one, cycles) => {
                open.push(cycles);
                filling.push(one);
            }
            End::Far(bound) => {
                if let Some(holder) = finding.holder.as_mut() {
                    holder.bound = holder.bound.or(bound);
                }
                rest.push(finding);
            }
        }
    }
    if filling.is_empty() {
        return (rest, Filled { filling, beside: rate, is_all: false, unproven: None });
    }
    let fills: f64 = filling.iter().map(|one| one.bytes_per_cycle).sum::<i64>() as f64;
    let beside = Interval {
        estimate: rate.estimate - fills,
        low: rate.low - (1.0 + SCAN_ERROR_RATIO) * fills,
        high: (rate.high - fills).max(0.0),
    };
    let floor = job.cycles.floor();
    let is_all = beside.estimate <= MAX_REST_RATIO * rate.estimate && beside.low <= floor;
    if is_all {
        rest.retain(|finding| is_sure(finding, job.cycles));
    }
    let count = job.cycles.count;
    let until = |cycles: &Option<f64>| cycles.map_or(count, |cycles| cycles.ceil() as u64);
    let unproven = open.iter().map(until).max();
    (rest, Filled { filling, beside, is_all, unproven })
}

/// Whether a finding is a leak by itself: each cycle keeps more than the floor, and the run half of what no process does by itself.
pub(crate) fn is_sure(finding: &Finding, cycles: &Cycles) -> bool {
    let low = finding.bytes_per_cycle.low as f64;
    let kept = low * cycles.count as f64;
    finding.confidence == "certain" && low > cycles.floor() && kept > HALF * cycles.unit.min_rise()
}

impl Job<'_> {
    fn end(self, finding: &Finding, lookup: &mut dyn Lookup) -> End {
        let Some(holder) = finding.holder.as_ref() else { return End::Far(None) };
        if holder.bound.is_some() {
            let room = self.held.room(&holder.path, self.cycles);
            return room.and_then(|room| self.full(finding, &room, None)).map_or(End::Far(None), End::Full);
        }
        let numbers = self.held.numbers_beside(&holder.path);
        let Some(own) = own_bound(finding, &self.held.folders, self.folder, lookup, numbers) else {
            return End::Far(None);
        };
        if let Some(bytes) = own.bytes {
            return self.of_bytes(finding, bytes, &own);
        }
        let Some(bound) = own.elements else { return End::Open(self.open(finding, &own), None) };
        if self.held.length(&holder.path).is_some_and(|length| length > bound) {
            return End::Far(None);
        }
        match self.held.room_below(&holder.path, bound, self.cycles) {
            // Only a run shows that the line does what it says.
            Some(room) => self.full(finding, &room, Some(&own)).map_or(End::Far(Some(bound)), |one| {
                let unproven = BEYOND_CYCLES as f64 - room.full_for;
                if unproven <= 0.0 || self.is_flat_since(&room, &one) {
                    return End::Full(one);
                }
                End::Open(one, Some(room.cycles + unproven))
            }),
            None => End::Open(self.open(finding, &own), None),
        }
    }

    /// Whether live memory rose by less than half of its pace ever since it must have been full.
    fn is_flat_since(self, room: &Capacity, filling: &Filling) -> bool {
        let Some(full_at) = room.full_at else { return false };
        let since: Vec<_> = self.cycles.points.iter().filter(|p| p.ordinal as f64 >= full_at).collect();
        let x: Vec<f64> = since.iter().map(|p| p.ordinal as f64).collect();
        let y: Vec<f64> = since.iter().map(|p| p.level).collect();
        let rate = growth(&x, &y).filter(|_| since.len() > BEYOND_CYCLES as usize);
        rate.is_some_and(|rate| rate.high < HALF * filling.bytes_per_cycle as f64)
    }

    /// What the program bounds at so many bytes. What is there is no more than an estimate, the cycles until then are, too.
    fn of_bytes(self, finding: &Finding, bound: u64, own: &OwnBound) -> End {
        let per_cycle = finding.bytes_per_cycle.estimate.max(1) as f64;
        let there = per_cycle * self.cycles.count as f64;
        let more = bound as f64 - there;
        let fits = self.limit.is_none_or(|limit| more <= MAX_OF_FREE_RATIO * limit.headroom as f64);
        let near = Capacity::is_so_near(more / per_cycle, self.cycles.count) || more <= SMALL_BYTES;
        // It has passed it.
        let is_passed = there > PASSED_RATIO * bound as f64;
        if is_passed || !fits || !near {
            return End::Far(None);
        }
        End::Open(self.open(finding, own), Some((more / per_cycle).max(0.0) + BEYOND_CYCLES as f64))
    }

    /// What fills, if it is full soon enough.
    fn full(self, finding: &Finding, room: &Capacity, own: Option<&OwnBound>) -> Option<Filling> {
        let more = room.cycles * finding.bytes_per_cycle.estimate.max(0) as f64;
        let fits = self.limit.is_none_or(|limit| more <= MAX_OF_FREE_RATIO * limit.headroom as f64);
        let near = room.is_near(self.cycles.count) || more <= SMALL_BYTES;
        (fits && near).then(|| Filling {
            name: if own.is_some() { named(path_of(finding)) } else { room.name.clone() },
            bytes_per_cycle: finding.bytes_per_cycle.estimate,
            until: Until::Full { elements: room.bound, cycles: room.cycles, more, by: own.cloned() },
        })
    }

    /// What the program bounds, at a number that nobody knows or that it comes to nobody knows when.
    fn open(self, finding: &Finding, own: &OwnBound) -> Filling {
        let path = path_of(finding);
        Filling {
            name: named(path),
            bytes_per_cycle: finding.bytes_per_cycle.estimate,
            until: Until::Bounded { by: own.clone(), length: self.held.length(path) },
        }
    }
}

fn path_of(finding: &Finding) -> &str {
    finding.holder.as_ref().map_or("", |holder| holder.path.as_str())
}

fn named(path: &str) -> String {
    HolderPath::of(path).words().to_owned()
}
