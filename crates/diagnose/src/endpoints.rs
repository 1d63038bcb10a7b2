//! What memory grows by per request of each endpoint.
//!
//! In: a leak per request, its points, and how many requests of each endpoint had ended at each reading. Out: growth by endpoint, and what
//! was counted where the mix of requests changes. What must not happen here: an endpoint that is named where the growth per request is no
//! leak; a cache that fills taken for a leak of an endpoint that is asked less.

use std::collections::BTreeMap;

use nilometer_capture::{Capture, CycleUnit, Observation, Record};
use nilometer_stats::{Interval, KindGrowth, Mixed, growth_by_kind};

use crate::counted::{Counted, CountedReason, State};
use crate::cycles::{Cycles, Point};
use crate::report::{Bytes, Endpoint};

/// Requests of an endpoint that are start-up.
const WARM_UP_REQUESTS: u64 = 5;
/// An endpoint with fewer is told with the rest.
const MIN_REQUESTS: u64 = 20;
/// Endpoints that are told apart at most, those with the most requests first.
const MAX_APART: usize = 12;
/// An endpoint that makes less of the growth than this is no finding.
const MIN_GROWTH_RATIO: f64 = 0.1;
/// One that may at most make this share of it is flat.
const MAX_FLAT_RATIO: f64 = 0.2;
/// The name of the endpoints with few requests.
const REST: &str = "all others";

/// Growth by endpoint of a leak of `rate` bytes per cycle; nothing where the cycles have no names, or readings are too few.
pub(crate) fn by_endpoint(capture: &Capture, cycles: &Cycles, since: usize, rate: Interval) -> Vec<Endpoint> {
    let Some(unit) = cycles.unit.marks() else { return Vec::new() };
    let points = cycles.points.get(since..).unwrap_or_default();
    let counts = Counts::of(capture, unit, points);
    let columns = counts.columns();
    if columns.len() < 2 {
        return Vec::new();
    }
    let Some(told) = growth_by_kind(&counts.mixed(points, &columns)) else { return Vec::new() };
    let ended: u64 = columns.iter().map(|column| column.ended).sum();
    let mut out: Vec<Endpoint> =
        told.iter().filter_map(|one| endpoint(one, &columns, rate, ended, cycles.floor())).collect();
    out.sort_by_key(|one| (!one.grows, -one.bytes_per_request.estimate * one.requests.cast_signed()));
    out
}

/// What was counted over the requests of the endpoints that grow, and the cycles that say so: all else is told on the same axis. Nothing
/// where all requests serve. `recount` counts a series.
pub(crate) fn over_their_own(
    capture: &Capture,
    cycles: &Cycles,
    counted: &Counted,
    recount: impl Fn(&Cycles) -> Counted,
) -> Option<(Counted, Cycles)> {
    if !matches!(counted.reason, CountedReason::Levelling { .. }) {
        return None;
    }
    let alike = as_if_alike(capture, cycles, counted.since)?;
    let again = recount(&alike);
    let grows = again.state == State::Grows;
    grows.then_some((Counted { reason: CountedReason::GrowsByMix, ..again }, alike))
}

/// The same cycles, with each reading at the cycle where it would lie if all requests kept alike. Where the mix of requests changes, a leak
/// of one endpoint bends the curve over all of them. Nothing unless an endpoint is surely the one that grows.
fn as_if_alike(capture: &Capture, cycles: &Cycles, since: usize) -> Option<Cycles> {
    let unit = cycles.unit.marks().filter(|unit| unit.is_served())?;
    let points = cycles.points.get(since..)?;
    let (first, last) = (points.first()?.ordinal, points.last()?.ordinal);
    let counts = Counts::of(capture, unit, points);
    let columns = counts.columns();
    let mixed = counts.mixed(points, &columns);
    let told = growth_by_kind(&mixed)?;
    let sure: Vec<&KindGrowth> =
        told.iter().filter(|one| one.is_sure && one.kinds.len() < columns.len()).collect();
    let kept = |at: &Mixed| -> f64 {
        let requests =
            |one: &KindGrowth| one.kinds.iter().filter_map(|kind| at.counts.get(*kind)).sum::<f64>();
        sure.iter().map(|one| one.rate.estimate * requests(one)).sum()
    };
    let (bottom, top) = (kept(mixed.first()?), kept(mixed.last()?));
    if top <= bottom {
        return None;
    }
    let mut out = cycles.clone();
    let mut before = first.saturating_sub(1);
    for (point, at) in out.points.iter_mut().skip(since).zip(&mixed) {
        let part = (kept(at) - bottom) / (top - bottom);
        point.ordinal = (first + (part * (last - first) as f64) as u64).max(before + 1);
        before = point.ordinal;
    }
    out.ends = cycles.ends.iter().map(|end| end.on_axis_of(&out.points)).collect();
    out.ends.dedup_by(|end, before| end.ordinal <= before.ordinal);
    out.is_by_mix = true;
    Some(out)
}

/// What is told of kinds that stand together.
fn endpoint(
    told: &KindGrowth,
    columns: &[Column],
    rate: Interval,
    ended: u64,
    floor: f64,
) -> Option<Endpoint> {
    let own: Vec<&Column> = told.kinds.iter().filter_map(|kind| columns.get(*kind)).collect();
    let (first, others) = own.split_first()?;
    let requests: u64 = own.iter().map(|column| column.ended).sum();
    let made = told.rate.estimate * requests as f64;
    let total = rate.estimate * ended as f64;
    // Told of all endpoints together, it would name none.
    let grows = told.is_sure && made >= MIN_GROWTH_RATIO * total && own.len() < columns.len();
    Some(Endpoint {
        name: first.name.clone(),
        together_with: others.iter().map(|column| column.name.clone()).collect(),
        requests,
        bytes_per_request: Bytes::round(&told.rate),
        grows,
        is_flat: !grows
            && (told.rate.high * requests as f64 <= MAX_FLAT_RATIO * total || told.rate.high <= floor),
    })
}

/// A column of the fit: an endpoint, or the rest of them.
struct Column {
    name: String,
    ids: Vec<u64>,
    /// Requests that ended in the part of the run that counts.
    ended: u64,
}

/// How many requests of each endpoint had ended, by the time of the reading.
struct Counts {
    names: BTreeMap<u64, String>,
    /// Before each point: totals that changed since the one before.
    changes: Vec<Vec<(u64, u64)>>,
}

impl Counts {
    fn of(capture: &Capture, unit: CycleUnit, points: &[Point]) -> Self {
        let mut names = BTreeMap::new();
        let mut changes = vec![Vec::new(); points.len()];
        let mut at = 0;
        for stamped in &capture.records {
            match &stamped.record {
                Record::Observation(Observation::Endpoint { id, unit: of, name }) if *of == unit => {
                    names.insert(*id, name.clone());
                }
                Record::Observation(Observation::Ended { totals }) => {
                    while points.get(at).is_some_and(|point| point.at_ns < stamped.at_ns) {
                        at += 1;
                    }
                    if let Some(before) = changes.get_mut(at) {
                        before.extend(totals);
                    }
                }
                _ => {}
            }
        }
        Self { names, changes }
    }

    /// Totals at the first point and at the last one.
    fn ends(&self) -> (BTreeMap<u64, u64>, BTreeMap<u64, u64>) {
        let first: BTreeMap<u64, u64> = self.changes.first().into_iter().flatten().copied().collect();
        let last = self.changes.iter().flatten().copied().collect();
        (first, last)
    }

    fn columns(&self) -> Vec<Column> {
        let (first, last) = self.ends();
        let ended = |id: u64| {
            let total = |of: &BTreeMap<u64, u64>| of.get(&id).copied().unwrap_or(0);
            total(&last).saturating_sub(total(&first))
        };
        let own =
            |(id, name): (&u64, &String)| Column { name: name.clone(), ids: vec![*id], ended: ended(*id) };
        let mut columns: Vec<Column> = self.names.iter().map(own).filter(|column| column.ended > 0).collect();
        columns.sort_by_key(|column| std::cmp::Reverse(column.ended));
        let apart = columns.iter().take(MAX_APART).take_while(|column| column.ended >= MIN_REQUESTS).count();
        let rest = columns.split_off(apart);
        if let Some(name) = match rest.len() {
            0 => None,
            1 => rest.first().map(|one| one.name.clone()),
            _ => Some(REST.to_owned()),
        } {
            let ended = rest.iter().map(|column| column.ended).sum();
            columns.push(Column {
                name,
                ids: rest.into_iter().flat_map(|column| column.ids).collect(),
                ended,
            });
        }
        columns
    }

    fn mixed(&self, points: &[Point], columns: &[Column]) -> Vec<Mixed> {
        let mut totals: BTreeMap<u64, u64> = BTreeMap::new();
        let mut out = Vec::with_capacity(points.len());
        for (point, changes) in points.iter().zip(&self.changes) {
            let mut is_fresh = false;
            for (id, total) in changes {
                let before = totals.insert(*id, *total).unwrap_or(0);
                let is_apart =
                    columns.iter().any(|column| column.ids == [*id] && column.ended >= MIN_REQUESTS);
                is_fresh |= is_apart && before < WARM_UP_REQUESTS;
            }
            let count =
                |column: &Column| column.ids.iter().filter_map(|id| totals.get(id)).sum::<u64>() as f64;
            out.push(Mixed {
                time: point.at_ns as f64 / 1e9,
                level: point.level,
                counts: columns.iter().map(count).collect(),
                is_fresh: is_fresh && !out.is_empty(),
            });
        }
        out
    }
}
