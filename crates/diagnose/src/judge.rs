//! The verdict: leak, no leak, or undecided with the cycles still needed.
//!
//! In: one series of points and what is known of the collector. Out: a verdict, the growth it rests on, and a
//! sentence that says why. What must not happen here: a leak called on a few cycles, on start-up, on garbage that
//! waits for its collection, or on a curve that is levelling off. `docs/design/verdict.md` argues it.

use nilometer_stats::{Interval, Shape, cycles_needed, shape, warm_up};

use crate::at_exit::ExitCollection;
use crate::collector::{Net, Part, net_growth, rising, series};
use crate::cycles::{Cycles, LEAST_RISE, Point, Unread};
use crate::early::even_rise;
use crate::floor::growth_at_most;
use crate::onset::growing_part;
use crate::report::Verdict;
use crate::sawtooth::without_sawtooth;
use crate::sizes::size;
use crate::timeline::{Basis, Timeline};
use crate::unit::Unit;

/// What was decided.
#[derive(Clone, Debug)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    pub(crate) reason: String,
    pub(crate) needed: Option<u64>,
    /// Net of garbage; `None` with too few cycles.
    pub(crate) rate: Option<Interval>,
    /// The most that live memory plausibly grows by per cycle; with too few cycles anything.
    pub(crate) at_most: f64,
    /// Index of the first point that counts for the rate.
    pub(crate) since: usize,
    /// Index of the point at which start-up had ended: before it lie one-time rises, between it and `since` a filling.
    pub(crate) started: usize,
    /// Bytes per cycle that collections take back.
    pub(crate) sawtooth: f64,
    /// No leak, if what memory grows by is garbage; nothing else says so.
    pub(crate) rests_on_garbage: bool,
    /// Undecided for no other reason than that the growth may be garbage.
    pub(crate) is_open_by_garbage: bool,
    /// Bytes per cycle that memory rose by which a full collection left; 0 where none was seen.
    pub(crate) outlived: f64,
    /// Memory that is no garbage rose, be it once or for good.
    pub(crate) surely_rose: bool,
    /// Of a run one cycle too short: the rise that each of its cycles brought.
    pub(crate) even_rise: Option<Interval>,
    /// Rise that levels off: bytes so far, and the bound where one is in sight.
    pub(crate) filling: Option<Filling>,
}

/// A rise with an end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filling {
    pub(crate) bytes: f64,
    pub(crate) bound: Option<f64>,
}

/// Points after start-up that a verdict needs at least.
pub(crate) const LEAST_POINTS: usize = 6;
/// Start-up of more cycles than this is told apart from the one-time rises of the first ones.
const LONG_START: usize = 3;
/// Growth below this share of live memory per cycle cannot matter within a thousand cycles' doubling.
pub(crate) const TOLERANCE_RATIO: f64 = 0.0005;
/// Where garbage was not seen to be taken back but only may be there, this share of what could matter must not be left.
const PLAUSIBLE: f64 = 0.75;
/// A rise that ended is worth telling from this on.
pub(crate) const LEAST_FILLING: f64 = 1024.0 * 1024.0;
/// Share of a rise that is left without its two biggest steps, if every cycle adds to it; three like steps leave a third.
const CARRIED_BY_MANY: f64 = 0.3;
/// Nobody is told to run more than so many times as long.
const MOST_NEEDED: u64 = 10;
/// A curve that levels off is settled when this share of its rise is still to come.
const SETTLED: f64 = 0.05;

/// Judges a series.
pub(crate) fn judge(
    timeline: &Timeline,
    cycles: &Cycles,
    basis: Basis,
    exit: Option<ExitCollection>,
) -> Judgement {
    let points = &cycles.points;
    let (_, levels) = series(points);
    let warm = warm_up(&levels).min(points.len());
    let judged = LEAST_POINTS;
    let least = judged + 2;
    if points.len() < least || points.len() - warm < judged {
        let needed = least.saturating_sub(points.len()).max(judged.saturating_sub(points.len() - warm));
        let even_rise =
            points.get(warm..).filter(|_| basis == Basis::Live).and_then(|p| even_rise(cycles, p));
        return Judgement { even_rise, ..too_few(cycles, needed.max(1), warm) };
    }
    let part = &points[warm..];
    // Garbage that comes and goes hides where a rise begins or ends.
    let flat = without_sawtooth(timeline, part).map(|levels| with_levels(part, levels));
    // A start-up of many cycles that rises a lot is a buffer or cache that fills.
    let long = warm > LONG_START && levels[warm] - levels[LONG_START] > LEAST_FILLING;
    let (since, ended) = growing_part(flat.as_deref().unwrap_or(part), long, cycles.unit.floor());
    let started = if long { LONG_START } else { warm };
    let ended = ended.or_else(|| long.then(|| levels[warm] - levels[LONG_START]));
    let since = warm + since;
    let Some(net) =
        net_growth(timeline, points, Part { since, filled_from: ended.map(|_| started.min(since)) }, exit)
    else {
        return too_few(cycles, LEAST_POINTS, warm);
    };
    let case = Case { cycles, basis, points: &points[since..], net, since, started };
    let judgement = match ended {
        Some(bytes) => case.levelled(bytes),
        None => case.decide(),
    };
    case.spanning(judgement)
}

/// The same points with other levels.
fn with_levels(points: &[Point], levels: Vec<f64>) -> Vec<Point> {
    points.iter().zip(levels).map(|(point, level)| Point { level, ..point.clone() }).collect()
}

fn too_few(cycles: &Cycles, needed: usize, warm: usize) -> Judgement {
    let unit = cycles.unit.word();
    let reason = match cycles.points.len() {
        _ if matches!(cycles.unit, Unit::Window { .. }) => "too short a run to see growth".to_owned(),
        0 => format!("no {unit} has ended yet"),
        1 => format!("one {unit} says nothing about growth: the first ones also start things up"),
        n => format!("{n} {unit}s are too few: the first ones also start things up"),
    };
    Judgement {
        verdict: Verdict::Undecided,
        reason,
        needed: Some(needed as u64),
        rate: None,
        at_most: f64::INFINITY,
        since: warm.min(cycles.points.len().saturating_sub(1)),
        started: warm.min(cycles.points.len().saturating_sub(1)),
        sawtooth: 0.0,
        rests_on_garbage: false,
        is_open_by_garbage: false,
        outlived: 0.0,
        surely_rose: false,
        even_rise: None,
        filling: None,
    }
}

/// Whether one or two cycles brought nearly all of the rise: growth is what at least three cycles add to.
fn carried_by_few(points: &[Point]) -> bool {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return true };
    let usual = rising(points);
    let mut excess: Vec<f64> = points
        .windows(2)
        .map(|w| w[1].level - w[0].level - usual * (w[1].ordinal - w[0].ordinal) as f64)
        .collect();
    excess.sort_by(|a, b| b.total_cmp(a));
    let rise = last.level - first.level;
    let by_few: f64 = excess.iter().take(2).filter(|e| **e > 0.0).sum();
    rise - by_few < CARRIED_BY_MANY * rise
}

struct Case<'a> {
    cycles: &'a Cycles,
    basis: Basis,
    points: &'a [Point],
    net: Net,
    since: usize,
    started: usize,
}

impl Case<'_> {
    fn decide(&self) -> Judgement {
        let rate = self.net.rate;
        let (x, y) = series(self.points);
        let rise = rate.low * (x[x.len() - 1] - x[0]);
        let floor = self.cycles.unit.floor();
        let tolerance = self.tolerance();
        let unit = self.cycles.unit.word();
        if rate.low > floor && rise > LEAST_RISE {
            if let Shape::Levelling { bound, cycles_to_95 } = shape(&x, &y) {
                return self.levelling(bound, cycles_to_95, &x, &y);
            }
            if carried_by_few(self.points) {
                let reason =
                    format!("nearly all of the rise came in one or two {unit}s: that may have been all");
                return self.say(Verdict::Undecided, reason, Some(self.span()));
            }
            if self.basis == Basis::Anonymous {
                let reason = "resident memory grows, but this allocator cannot be asked whether it is in use or \
                              only kept: run with the C library's own";
                return self.say(Verdict::Undecided, reason.to_owned(), None);
            }
            let reason = match self.cycles.unit {
                Unit::Window { .. } => {
                    "live memory grows all the time; no cycle was seen, so whether it should grow \
                                        (data being loaded) is for you to say"
                        .to_owned()
                }
                Unit::Marked(_) | Unit::Found { .. } => {
                    format!("live memory grows with every {unit} and shows no sign of levelling")
                }
            };
            return self.say(Verdict::Leak, reason, None);
        }
        let (high, most) = (self.likely_high(), self.surely_high());
        // What rose by more than garbage explains is not called garbage.
        let is_garbage = !self.surely_rose();
        if most <= tolerance || is_garbage && high <= (PLAUSIBLE * tolerance).max(2.0 * floor) {
            let reason = if most > tolerance {
                format!(
                    "what live memory grows by is garbage that Python's collector takes back (beyond it at most {} per \
                     {unit}, or {} if none of it were)",
                    size(high.max(0.0)),
                    size(most)
                )
            } else if rate.low > 0.0 {
                format!("live memory grows by at most {} per {unit}: too little to matter", size(most))
            } else if most > 0.0 {
                format!("live memory does not grow (at most {} per {unit})", size(most))
            } else {
                "live memory does not grow".to_owned()
            };
            let judged = self.say(Verdict::NoLeak, reason, None);
            return Judgement { rests_on_garbage: most > tolerance, ..judged };
        }
        self.undecided(&x, &y)
    }

    /// The judgement, if the cycles that were read span the run: of those that were not, nobody knows that nothing stays.
    fn spanning(&self, judgement: Judgement) -> Judgement {
        let Some(Unread { last, rise }) = self.cycles.unread else { return judgement };
        let left = self.cycles.count.saturating_sub(last);
        let harmless = LEAST_RISE.max(self.cycles.unit.floor() * left as f64);
        if judgement.verdict != Verdict::NoLeak || rise.is_some_and(|rise| rise <= harmless) {
            return judgement;
        }
        let (unit, count) = (self.cycles.unit.word(), self.cycles.count);
        let reason = match rise {
            Some(rise) => format!(
                "live memory was read until {unit} {last} of {count}, and rose by {} until the last one",
                size(rise)
            ),
            None => format!("live memory was read until {unit} {last} of {count} only"),
        };
        Judgement { rests_on_garbage: false, ..self.say(Verdict::Undecided, reason, Some(count)) }
    }

    /// Whether what is no garbage rose by more than any process does.
    fn surely_rose(&self) -> bool {
        self.net.kept > self.cycles.unit.floor() && self.net.kept * self.span() as f64 > LEAST_RISE
    }

    /// Cycles from the first point to the last.
    fn span(&self) -> u64 {
        let ends = self.points.first().zip(self.points.last());
        ends.map_or(1, |(first, last)| last.ordinal - first.ordinal + 1)
    }

    /// The most that live memory plausibly grows by.
    fn likely_high(&self) -> f64 {
        let by_floor = growth_at_most(self.points).unwrap_or(f64::INFINITY);
        self.net.likely_high.min(by_floor)
    }

    /// The most that live memory grows by, even if nothing of it is garbage.
    fn surely_high(&self) -> f64 {
        self.net.gross.high.min(growth_at_most(self.points).unwrap_or(f64::INFINITY))
    }

    /// Growth that could matter if it is there, and cannot be told from none.
    fn tolerance(&self) -> f64 {
        let level = self.points.last().map_or(0.0, |p| p.level);
        let floor = self.cycles.unit.floor();
        // Many short calls to the hour: a share of all memory per call would hide any leak.
        let long = matches!(self.cycles.unit, Unit::Window { .. }) || floor >= Unit::LONG_FLOOR;
        let share = if long { TOLERANCE_RATIO * level } else { 0.0 };
        // What would have been too little to be called a leak in this run, were it sure, need not be ruled out.
        let unseen = (LEAST_RISE / self.span() as f64).min(4.0 * floor);
        share.max(2.0 * floor).max(unseen)
    }

    fn undecided(&self, x: &[f64], y: &[f64]) -> Judgement {
        let unit = self.cycles.unit.word();
        let noisy = self.net.gross.low <= self.cycles.unit.floor();
        if noisy || self.net.examined {
            let reason = format!(
                "the {unit}s differ too much to tell a growth of up to {} per {unit} from none",
                size(self.likely_high())
            );
            let most = MOST_NEEDED * self.span();
            let needed = cycles_needed(x, y, self.tolerance() / 2.0).clamp(1, most);
            return self.say(Verdict::Undecided, reason, Some(needed));
        }
        let reason = format!(
            "live memory grows by {} per {unit}, but Python's collector has not looked at it yet: it may be garbage \
             that the next full collection frees",
            size(self.net.gross.estimate)
        );
        // A full collection comes after a quarter more containers; how soon is not known better than "twice as long".
        Judgement {
            is_open_by_garbage: true,
            ..self.say(Verdict::Undecided, reason, Some(self.cycles.count))
        }
    }

    fn levelling(&self, bound: f64, cycles_to_95: f64, x: &[f64], y: &[f64]) -> Judgement {
        let (first, last) = (y[0], y[y.len() - 1]);
        let (rise, to_come) = (last - first, (bound - last).max(0.0));
        let unit = self.cycles.unit.word();
        let filling = Some(Filling { bytes: rise, bound: Some(bound) });
        if to_come <= SETTLED * rise {
            let reason = format!("live memory rose by {} and has levelled off", size(rise));
            return Judgement { filling, ..self.say(Verdict::NoLeak, reason, None) };
        }
        let left = (cycles_to_95 - (x[x.len() - 1] - x[0])).ceil().max(2.0) as u64;
        let reason = format!(
            "live memory grows, but ever more slowly: at this bend it ends about {} higher, in {left} more {unit}s",
            size(to_come)
        );
        Judgement { filling, ..self.say(Verdict::Undecided, reason, Some(left)) }
    }

    /// Growth ended inside the run.
    fn levelled(&self, bytes: f64) -> Judgement {
        let judged = self.decide();
        if judged.verdict != Verdict::NoLeak {
            return judged;
        }
        let from = self.points.first().map_or(0, |p| p.ordinal);
        let unit = self.cycles.unit.word();
        let reason = format!(
            "live memory rose by {} until {unit} {from} and is flat since (at most {} per {unit})",
            size(bytes),
            size(self.surely_high().max(0.0))
        );
        Judgement { filling: Some(Filling { bytes, bound: None }), reason, ..judged }
    }

    fn say(&self, verdict: Verdict, reason: String, needed: Option<u64>) -> Judgement {
        Judgement {
            verdict,
            reason,
            needed,
            rate: Some(self.net.rate),
            at_most: self.surely_high(),
            since: self.since,
            started: self.started,
            sawtooth: self.net.sawtooth,
            rests_on_garbage: false,
            is_open_by_garbage: false,
            outlived: self.net.outlived,
            surely_rose: self.surely_rose(),
            even_rise: None,
            filling: None,
        }
    }
}
