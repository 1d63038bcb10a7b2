//! Whether what is in use on devices goes on growing: by the judged unit, or by a coarser one.
//!
//! In: what one pool had in use at the ends of cycles. Out: growth per cycle, none, or that it cannot be told. What must not happen here: a
//! growth told of a cache that fills, of swings, or of one window that happens to lie above another.

use nilometer_capture::{Capture, CycleUnit, Moment};
use nilometer_stats::Interval;

use crate::chosen;
use crate::cycles::Cycles;
use crate::devices::{Devices, End, Pool};
use crate::numbers::HALF;
use crate::timeline::Timeline;

/// What rises by less in the judged part is not worth a warning. Bytes.
const MIN_RISE_BYTES: f64 = 1024.0 * 1024.0;
/// The pace of the last window is at least this part of the one before; a cache that fills rises by ever less.
const MIN_PACE_RATIO: f64 = 0.7;
/// A growth is told after so many cycles: kernels are chosen, and buffers made, in the first ones.
const MIN_CYCLES: usize = 12;
/// The chance that a series without a trend seems to have one. There may be four units to look at.
const MAX_CHANCE: f64 = 0.001;
/// The first part of the cycles is start-up; what is left is cut into so many windows.
const WARM_UP_DIVISOR: usize = 3;
const WINDOWS: usize = 3;
/// Longer series are cut into so many stretches, of which the least counts.
const MAX_POINTS: usize = 48;
/// A unit is coarser than the judged one if it has so many times fewer turns.
const MIN_COARSER_RATIO: u64 = 3;
/// Single cycles that must have been seen, to say that each of them adds to it.
const MIN_STEPS: usize = 8;

/// What the series says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Growth {
    /// Too few cycles.
    TooFew,
    /// A rise that may end.
    Open,
    /// It does not grow.
    None,
    /// So many bytes more with each cycle, which is called so.
    Grows { per_cycle: Interval, word: &'static str, is_garbage: bool },
}

/// A series, and what its cycles are called.
struct Series {
    word: &'static str,
    count: u64,
    ends: Vec<End>,
}

/// What a pool has in use, by the ends of cycles.
pub(crate) fn growth(
    devices: &Devices,
    pool: Pool,
    (timeline, capture): (&Timeline, &Capture),
    judged: &Cycles,
) -> Growth {
    let all = candidates(devices, pool, (timeline, capture), judged);
    let trends: Vec<(&Series, Trend)> = all.iter().map(|series| (series, trend(&series.ends))).collect();
    let rising = || trends.iter().filter_map(|(of, trend)| Some((of, trend.rate()?)));
    // A leak that comes with each epoch is told by the epoch, not as a sixty-fourth of it by the step.
    let steady = rising().find(|(of, _)| rises_each_time(&of.ends));
    if let Some((of, per_cycle)) = steady.or_else(|| rising().next()) {
        let rise = per_cycle.estimate * of.ends.last().map_or(0, |last| last.cycle) as f64;
        return Growth::Grows {
            per_cycle,
            word: of.word,
            is_garbage: freed_at_exit(devices, pool) >= HALF * rise,
        };
    }
    match trends.first() {
        Some((_, Trend::Flat)) => Growth::None,
        Some((_, Trend::Open | Trend::Rises(_))) => Growth::Open,
        Some((_, Trend::TooFew)) | None => Growth::TooFew,
    }
}

/// The judged unit first, then coarser ones, the finest first; where none was asked at its ends, the least in each judged cycle.
fn candidates(
    devices: &Devices,
    pool: Pool,
    (timeline, capture): (&Timeline, &Capture),
    judged: &Cycles,
) -> Vec<Series> {
    let of = |unit: CycleUnit| {
        let ends = devices.ends(pool, unit);
        let word = chosen::unit_of(timeline, capture, unit)?.word();
        let count = ends.last()?.cycle;
        (ends.len() >= MIN_CYCLES).then_some(Series { word, count, ends })
    };
    let own = judged.unit.marks();
    let mut out: Vec<Series> = own.and_then(of).into_iter().collect();
    let most = out.first().map_or(u64::MAX, |own| own.count / MIN_COARSER_RATIO);
    // What repeats begins late in a short run: most of it may be compilation, with ticks alone.
    let first_end = |unit: &CycleUnit| devices.ends(pool, *unit).first().map(|end| end.at_ns);
    let begun = devices.units(pool).iter().filter_map(first_end).min().unwrap_or(0);
    let span = devices.answers(pool).last().map_or(0, |last| last.at_ns.saturating_sub(begun));
    let is_whole = |series: &Series| {
        let [first, .., last] = series.ends.as_slice() else { return false };
        (last.at_ns - first.at_ns) as f64 >= HALF * span as f64
    };
    // Models and cleared sessions are parts of what repeats.
    let is_cycle =
        |unit: &CycleUnit| Some(*unit) != own && !matches!(unit, CycleUnit::Model | CycleUnit::ClearSession);
    let units = devices.units(pool).into_iter().filter(is_cycle);
    let mut others: Vec<Series> =
        units.filter_map(of).filter(|one| one.count <= most && is_whole(one)).collect();
    // Of equals the one that comes first among units: what hooks know, then lines, then loops.
    others.sort_by_key(|one| std::cmp::Reverse(one.count));
    out.append(&mut others);
    if out.is_empty() {
        let ends = devices.least(pool, judged);
        out.push(Series { word: judged.unit.word(), count: judged.count, ends });
    }
    out
}

/// What one series says.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Trend {
    TooFew,
    Open,
    Flat,
    Rises(Interval),
}

impl Trend {
    fn rate(self) -> Option<Interval> {
        match self {
            Self::Rises(rate) => Some(rate),
            Self::TooFew | Self::Open | Self::Flat => None,
        }
    }
}

fn trend(ends: &[End]) -> Trend {
    if ends.len() < MIN_CYCLES {
        return Trend::TooFew;
    }
    let points = lows(ends);
    let late = points.get(points.len() / WARM_UP_DIVISOR..).unwrap_or_default();
    let size = late.len() / WINDOWS;
    let mut windows = late.chunks(size.max(1));
    let (Some(first), Some(middle), Some(last)) = (windows.next(), windows.next(), windows.next()) else {
        return Trend::TooFew;
    };
    let lowest = |window: &[End]| window.iter().map(|end| end.in_use).min().unwrap_or(0);
    if lowest(first) >= lowest(last) {
        return Trend::Flat;
    }
    let mean = |window: &[End]| window.iter().map(|end| end.in_use as f64).sum::<f64>() / window.len() as f64;
    let [early, between, later] = [first, middle, last].map(mean);
    let slows = later - between < MIN_PACE_RATIO * (between - early);
    let goes_on = lowest(first) < lowest(middle) && lowest(middle) < lowest(last);
    let levels: Vec<f64> = late.iter().map(|end| end.in_use as f64).collect();
    let is_chance =
        nilometer_stats::mann_kendall(&levels).is_none_or(|test| test.p > MAX_CHANCE || test.s <= 0.0);
    if !goes_on || later - early < MIN_RISE_BYTES || slows || is_chance {
        return Trend::Open;
    }
    let cycles: Vec<f64> = late.iter().map(|end| end.cycle as f64).collect();
    nilometer_stats::growth(&cycles, &levels).filter(|rate| rate.low > 0.0).map_or(Trend::Open, Trend::Rises)
}

/// The least of each of so many stretches of cycles: looks are dense at first and seldom later, and swings stand above it.
fn lows(ends: &[End]) -> Vec<End> {
    let (Some(first), Some(last)) = (ends.first(), ends.last()) else { return Vec::new() };
    if ends.len() <= MAX_POINTS {
        return ends.to_vec();
    }
    let stretch = (last.cycle - first.cycle) / MAX_POINTS as u64 + 1;
    let of = |end: &End| (end.cycle - first.cycle) / stretch;
    let stretches = ends.chunk_by(|one, next| of(one) == of(next));
    stretches.filter_map(|of| of.iter().min_by_key(|end| end.in_use).copied()).collect()
}

/// Whether most single cycles add to it.
fn rises_each_time(ends: &[End]) -> bool {
    let late = ends.get(ends.len() / WARM_UP_DIVISOR..).unwrap_or_default();
    let steps: Vec<bool> = late
        .windows(2)
        .filter(|pair| pair[1].cycle == pair[0].cycle + 1)
        .map(|pair| pair[1].in_use > pair[0].in_use)
        .collect();
    let rises = steps.iter().filter(|rises| **rises).count();
    steps.len() + 1 >= MIN_STEPS && rises as f64 >= HALF * steps.len() as f64
}

/// What Python's last collection gave back: garbage that nobody holds. What the program's variables hold is there until later.
fn freed_at_exit(devices: &Devices, pool: Pool) -> f64 {
    let answers = devices.answers(pool);
    let after = answers.iter().rev().find(|answer| answer.moment == Moment::AfterExitCollection);
    let before = answers.iter().rev().find(|answer| answer.moment == Moment::BeforeExit);
    let (Some(before), Some(after)) = (before, after) else { return 0.0 };
    before.in_use.saturating_sub(after.in_use) as f64
}
