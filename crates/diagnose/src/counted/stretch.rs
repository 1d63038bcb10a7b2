//! What the judged stretch of a series says: it grows, it does not, it levels off, or nobody can tell.
//!
//! In: the points of the stretch, their growth with the garbage taken out. Out: what was counted. What must not happen here: growth
//! claimed of a curve that levels off, of two steps, or of memory whose use nobody can ask for.

use crate::numbers::{LITTLE, MAX_NEEDED_RATIO, NEARLY_ALL, TENTH, THIRD, TWICE};
use nilometer_stats::{Shape, cycles_needed, shape};

use super::counters::{Counted, Filling, State};
use super::garbage::{Net, rising, series};
use super::reason::CountedReason;
use super::returns::growth_at_most;
use crate::cycles::{Cycles, Point, Unread};
use crate::timeline::Basis;
use crate::unit::Unit;

/// If garbage is only inferred, the growth that remains must be below this share of the tolerance.
const MAX_INFERRED_RATIO: f64 = NEARLY_ALL;
/// Least share of a rise that is left without its two biggest steps. Three equal steps leave a third.
const MIN_CARRIED_BY_MANY_RATIO: f64 = (1.0 - TENTH) * THIRD;
/// A short run tolerates growth up to this many floors, if it could not show a leak of that size.
const MAX_UNSEEN_FLOORS: f64 = 2.0 * TWICE;
/// A curve that levels off is settled when at most this share of its rise is still to come.
const MAX_UNSETTLED_RATIO: f64 = LITTLE;

pub(super) struct Stretch<'a> {
    pub(super) cycles: &'a Cycles,
    pub(super) basis: Basis,
    pub(super) points: &'a [Point],
    pub(super) net: Net,
    pub(super) since: usize,
    pub(super) started: usize,
}

impl Stretch<'_> {
    pub(super) fn counted(&self) -> Counted {
        let rate = self.net.rate;
        let (x, y) = series(self.points);
        let rise = rate.low * (x[x.len() - 1] - x[0]);
        if rate.low > self.cycles.floor() && rise > self.cycles.unit.min_rise() {
            return self.growing(&x, &y);
        }
        self.bounded().unwrap_or_else(|| self.open(&x, &y))
    }

    /// Growth ended inside the run; the stretch begins there.
    pub(super) fn after_filling(&self, bytes: f64) -> Counted {
        let counted = self.counted();
        if !counted.is_bounded() {
            return counted;
        }
        let from = self.points.first().map_or(0, |p| p.ordinal);
        let at_most = self.surely_high().max(0.0);
        let reason = CountedReason::FlatSince { cycle: from, rise: bytes, at_most };
        Counted { filling: Some(Filling { bytes, bound: None }), reason, ..counted }
    }

    /// Growth that is seen: is every cycle part of it, and does it go on?
    fn growing(&self, x: &[f64], y: &[f64]) -> Counted {
        if let Shape::Levelling { bound, cycles_to_95 } = shape(x, y) {
            return self.levelling(bound, cycles_to_95, x, y);
        }
        if carried_by_few(self.points) {
            return self.say(State::Open, CountedReason::FewSteps, Some(self.span()));
        }
        if self.basis == Basis::Anonymous {
            return self.say(State::Open, CountedReason::ResidentGrows, None);
        }
        let reason = match self.cycles.unit {
            Unit::Window { .. } => CountedReason::GrowsWithTime,
            Unit::Marked(_) | Unit::Found { .. } => CountedReason::Grows,
        };
        self.say(State::Grows, reason, None)
    }

    fn levelling(&self, bound: f64, cycles_to_95: f64, x: &[f64], y: &[f64]) -> Counted {
        let (first, last) = (y[0], y[y.len() - 1]);
        let (rise, to_come) = (last - first, (bound - last).max(0.0));
        let filling = Some(Filling { bytes: rise, bound: Some(bound) });
        if to_come <= MAX_UNSETTLED_RATIO * rise {
            return Counted {
                filling,
                ..self.say(State::Bounded, CountedReason::LevelledOff { rise }, None)
            };
        }
        let left = (cycles_to_95 - (x[x.len() - 1] - x[0])).ceil().max(2.0) as u64;
        let reason = CountedReason::Levelling { to_come, cycles: left };
        Counted { filling, ..self.say(State::Open, reason, Some(left)) }
    }

    /// Bounded, if the growth is below the tolerance, perhaps by counting likely garbage as garbage.
    fn bounded(&self) -> Option<Counted> {
        let (high, most) = (self.likely_high(), self.surely_high());
        let (tolerance, floor) = (self.tolerance(), self.cycles.floor());
        if most <= tolerance {
            let reason = if self.net.gross.low > tolerance {
                CountedReason::Garbage { grows: self.net.gross.estimate, at_most: most.max(0.0) }
            } else if self.net.rate.low > 0.0 || self.net.rate.estimate > floor {
                CountedReason::TooLittle { at_most: most }
            } else {
                CountedReason::Flat { at_most: most }
            };
            return Some(self.say(State::Bounded, reason, None));
        }
        // A rise that garbage cannot explain is not called garbage.
        let is_garbage = !self.surely_rose() && high <= (MAX_INFERRED_RATIO * tolerance).max(2.0 * floor);
        is_garbage.then(|| {
            let reason = CountedReason::LikelyGarbage { at_most: high.max(0.0), otherwise: most };
            self.say(State::BoundedIfGarbage, reason, None)
        })
    }

    fn open(&self, x: &[f64], y: &[f64]) -> Counted {
        let is_noisy = self.net.gross.low <= self.cycles.floor();
        if is_noisy || self.net.examined {
            let reason = CountedReason::Noisy { at_most: self.likely_high() };
            let most = MAX_NEEDED_RATIO * self.span();
            let needed = cycles_needed(x, y, self.tolerance() / 2.0).clamp(1, most);
            return self.say(State::Open, reason, Some(needed));
        }
        let reason = CountedReason::Uncollected { grows: self.net.gross.estimate };
        // A full collection comes after a quarter more containers; how soon is not known better than "twice as long".
        self.say(State::MayBeGarbage, reason, Some(self.cycles.count))
    }

    /// Whether what is no garbage rose by more than any process does.
    fn surely_rose(&self) -> bool {
        self.net.kept > self.cycles.floor()
            && self.net.kept * self.span() as f64 > self.cycles.unit.min_rise()
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

    /// The most that live memory grows by without what was seen to be garbage, even if nothing else is.
    fn surely_high(&self) -> f64 {
        self.net.rate.high.min(self.net.gross.high).min(growth_at_most(self.points).unwrap_or(f64::INFINITY))
    }

    /// Growth that could matter if it is there, and cannot be told from none.
    fn tolerance(&self) -> f64 {
        let level = self.points.last().map_or(0.0, |p| p.level);
        let floor = self.cycles.floor();
        // Many short calls to the hour: a share of all memory per call would hide any leak.
        let share = self.cycles.unit.tolerated_ratio() * level;
        // A rise that would have been too little to be called a leak in this run, were it sure, need not be ruled out. Where nothing
        // speaks for a rise, that holds for more of it: 60 turns of 0.1 s in a breath of 100 KiB are not told from 3 KiB each.
        let most =
            if self.net.rate.low > 0.0 { MAX_UNSEEN_FLOORS } else { MAX_UNSEEN_FLOORS * MAX_UNSEEN_FLOORS };
        let unseen = (self.cycles.unit.min_rise() / self.span() as f64).min(most * floor);
        share.max(2.0 * floor).max(unseen)
    }

    fn say(&self, state: State, reason: CountedReason, needed: Option<u64>) -> Counted {
        Counted {
            state,
            reason,
            needed,
            rate: Some(self.net.rate),
            at_most: self.surely_high(),
            since: self.since,
            started: self.started,
            sawtooth: self.net.sawtooth,
            outlived: self.net.outlived,
            surely_rose: self.surely_rose(),
            even_rise: None,
            raw_rise: 0.0,
            filling: None,
        }
    }
}

/// What was counted, if the cycles that were read span the run: of those that were not, nobody knows that nothing stays.
pub(super) fn unread(counted: Counted, cycles: &Cycles) -> Counted {
    let Some(Unread { last, rise }) = cycles.unread else { return counted };
    let left = cycles.count.saturating_sub(last);
    let harmless = cycles.unit.min_rise().max(cycles.floor() * left as f64);
    if !counted.is_bounded() || rise.is_some_and(|rise| rise <= harmless) {
        return counted;
    }
    let count = cycles.count;
    let reason = CountedReason::ReadUntil { cycle: last, cycles: count, rise };
    Counted { state: State::Open, reason, needed: Some(count), filling: None, ..counted }
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
    rise - by_few < MIN_CARRIED_BY_MANY_RATIO * rise
}
