//! Workers that replace each other, as replicates of one process: what they keep of each request, all lives together.
//!
//! In: what the captures of some lives say of them. Out: a claim: they keep it, it is open, or nothing is known against them. What must
//! not happen here: another floor than that of one process which serves as much; or a start-up that each life makes, taken for growth.
//! It comes at the same request in all of them, so that no number of lives averages it away: each life's own start-up is left out, and
//! what is left must not slow down.

use nilometer_stats::{Interval, Replicate, Shape, growth, mean_rate, shape};

use crate::children::{Lived, Said};
use crate::numbers::{EVEN_FLOOR_RATIO, HALF, MOST, SEVERAL, TWICE};
use crate::report::Verdict;
use crate::unit::Unit;

/// Fewer lives have no scatter to rest an interval on.
const MIN_LIVES: usize = SEVERAL as usize;
/// Share of what was served by lives whose own captures say that they leak.
const MIN_LEAKING_RATIO: f64 = MOST;
/// From this share on it is open.
const MIN_OPEN_RATIO: f64 = HALF;
/// Points of the mean curve of all lives.
const CURVE_POINTS: usize = 25;

/// Workers of one kind, some of which came after others.
pub(super) struct Pool {
    /// Those whose captures were judged by what they served, with the process id of each.
    pub(super) judged: Vec<Worker>,
    pub(super) unit: Unit,
}

/// A process id, what its capture says, and its life.
pub(super) type Worker = (u64, Said, Lived);

/// What all lives together say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Claim {
    /// They keep so much of each request.
    Kept(Interval),
    /// They grow by so much, and it may be what a life starts with, or garbage.
    Open(Interval),
    Nothing,
}

impl Pool {
    /// Of workers of one kind; nothing where all of them served at one time.
    pub(super) fn of(mut judged: Vec<Worker>) -> Option<Self> {
        let most = judged.iter().max_by_key(|(.., lived)| lived.cycles).map(|(.., lived)| lived.unit)?;
        judged.retain(|(.., lived)| lived.unit == most);
        let first_end = judged.iter().map(|(.., lived)| lived.recorded.1).min()?;
        let is_replaced = judged.iter().any(|(.., lived)| lived.recorded.0 > first_end);
        is_replaced.then_some(Self { judged, unit: Unit::Marked(most) })
    }

    pub(super) fn claim(&self) -> Claim {
        let (leaking, counted) = (self.leaking_ratio(), self.counted());
        let claim = counted.as_ref().map_or(Claim::Nothing, |counted| counted.claim(self.unit, self.floor()));
        let is_seen = || counted.as_ref().is_some_and(|counted| counted.grows_as_held(self.floor()));
        // A cache that fills within a life may be taken for a leak in any of them; the mean of all bends.
        let bends = counted.as_ref().is_some_and(|counted| !counted.goes_on);
        let is_said = || leaking >= MIN_LEAKING_RATIO || self.is_held_alike() && is_seen();
        match self.said_rate() {
            Some(rate) if !bends && is_said() => Claim::Kept(rate),
            Some(rate) if leaking >= MIN_OPEN_RATIO && !matches!(claim, Claim::Kept(_)) => Claim::Open(rate),
            _ => claim,
        }
    }

    fn floor(&self) -> f64 {
        self.unit.floor_over(self.judged.iter().map(|(.., lived)| lived.cycles).sum())
    }

    /// Whether the same holder keeps it in several lives: what it keeps there it keeps in those that nobody looked at in time.
    fn is_held_alike(&self) -> bool {
        let holders = || self.leaking().filter_map(|(_, said, _)| said.held_by.as_ref());
        holders().any(|holder| holders().filter(|other| *other == holder).count() >= MIN_LIVES)
    }

    /// Lives whose own captures say that they leak.
    pub(super) fn leaking(&self) -> impl Iterator<Item = &Worker> {
        self.judged.iter().filter(|(_, said, _)| said.verdict == Verdict::Leak)
    }

    fn leaking_ratio(&self) -> f64 {
        let all: u64 = self.judged.iter().map(|(.., lived)| lived.cycles).sum();
        self.leaking().map(|(.., lived)| lived.cycles).sum::<u64>() as f64 / all.max(1) as f64
    }

    /// What the lives that leak grow by, by their own words.
    fn said_rate(&self) -> Option<Interval> {
        let said: Vec<(Interval, f64)> =
            self.leaking().filter_map(|(_, said, lived)| Some((said.growth?, lived.cycles as f64))).collect();
        let replicates: Vec<Replicate> = said
            .iter()
            .map(|(growth, cycles)| Replicate { rate: growth.estimate, cycles: *cycles })
            .collect();
        let mean = mean_rate(&replicates).filter(|mean| replicates.len() >= MIN_LIVES && mean.low > 0.0);
        let widest = || {
            let first = said.iter().max_by(|a, b| a.1.total_cmp(&b.1))?.0;
            let low = said.iter().map(|(growth, _)| growth.low).fold(first.low, f64::min);
            let high = said.iter().map(|(growth, _)| growth.high).fold(first.high, f64::max);
            Some(Interval { estimate: first.estimate, low, high })
        };
        mean.or_else(widest)
    }

    /// What their live bytes say together.
    fn counted(&self) -> Option<Counted> {
        let rates: Vec<(Replicate, f64, Halves)> =
            self.judged.iter().filter_map(|(.., lived)| replicate(lived)).collect();
        let replicates: Vec<Replicate> = rates.iter().map(|(replicate, ..)| *replicate).collect();
        let gross = mean_rate(&replicates).filter(|_| replicates.len() >= MIN_LIVES)?;
        let cycles: f64 = replicates.iter().map(|one| one.cycles).sum();
        let mean = |of: &dyn Fn(&(Replicate, f64, Halves)) -> f64| {
            rates.iter().map(|one| of(one) * one.0.cycles).sum::<f64>() / cycles
        };
        let (early, late) = (mean(&|one| one.2.early), mean(&|one| one.2.late));
        let goes_on = late * TWICE >= early && !matches!(self.shape(), Shape::Levelling { .. });
        Some(Counted { gross, garbage: mean(&|one| one.1), cycles, late, goes_on })
    }

    /// The shape of the mean of all lives that lasted, over what each had served by then.
    fn shape(&self) -> Shape {
        let longest = self.judged.iter().map(|(.., lived)| lived.span()).fold(0.0, f64::max);
        let lives = || self.judged.iter().map(|(.., lived)| lived).filter(|one| one.span() >= HALF * longest);
        let from =
            lives().filter_map(|one| one.points.first()).map(|point| point.0).max().unwrap_or(0) as f64;
        let to = lives().filter_map(|one| one.points.last()).map(|point| point.0).min().unwrap_or(0) as f64;
        let step = (to - from) / (CURVE_POINTS - 1) as f64;
        let x: Vec<f64> = (0..CURVE_POINTS).map(|at| from + step * at as f64).collect();
        let rise = |at: f64| lives().filter_map(|one| Some(one.level_at(at)? - one.level_at(from)?)).sum();
        let y: Vec<f64> = x.iter().map(|at| rise(at.min(to))).collect();
        if step > 0.0 { shape(&x, &y) } else { Shape::Flat }
    }
}

/// What was counted in all lives.
struct Counted {
    /// Bytes per cycle, with its garbage.
    gross: Interval,
    /// What of it may be garbage.
    garbage: f64,
    /// Cycles that it was counted over.
    cycles: f64,
    /// Bytes per cycle in the second halves.
    late: f64,
    goes_on: bool,
}

impl Counted {
    fn claim(&self, unit: Unit, floor: f64) -> Claim {
        let net = Interval { low: self.gross.low - self.garbage, ..self.gross };
        if self.goes_on && net.low > floor && net.low * self.cycles > unit.min_rise() {
            Claim::Kept(net)
        } else if self.gross.low > 0.0 && self.gross.high > TWICE * floor && self.late > floor {
            Claim::Open(self.gross)
        } else {
            Claim::Nothing
        }
    }

    /// Whether all lives grow, where some of them say who holds it: from less than the floor on, as that of a container is heard.
    fn grows_as_held(&self, floor: f64) -> bool {
        self.goes_on && self.gross.low > EVEN_FLOOR_RATIO * floor
    }
}

/// Growth of a life in its halves, in bytes per cycle.
struct Halves {
    early: f64,
    late: f64,
}

/// Growth of a life, what of it may be garbage, and how it went on.
fn replicate(lived: &Lived) -> Option<(Replicate, f64, Halves)> {
    let (x, y): (Vec<f64>, Vec<f64>) = lived.points.iter().map(|point| (point.0 as f64, point.1)).unzip();
    let rate = growth(&x, &y)?.estimate;
    let (first, last) = (lived.points.first()?, lived.points.last()?);
    let half = lived.span() / 2.0;
    let middle = lived.level_at(first.0 as f64 + half)?;
    let halves = Halves { early: (middle - first.1) / half, late: (last.1 - middle) / half };
    Some((Replicate { rate, cycles: lived.span() }, lived.garbage, halves))
}
