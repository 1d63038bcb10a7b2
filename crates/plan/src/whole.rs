//! A run at the whole batch, where it surely fits: its peak is measured and not drawn out.
//!
//! In: what the small runs told, what memory there is. Out: whether the run may be made; its peak with an interval. What must not happen
//! here: a run that could meet the limit.

use crate::line::{Line, Range};
use crate::told::{Fit, Told};

/// Twice the batch takes no more than twice the memory: what does not grow with it is there once.
const MAX_GROWTH_RATIO: u64 = 2;
/// The same run differs from itself by up to this much (standard deviation). Measured on three models: 4 to 30 MiB.
const SCATTER_BYTES: f64 = 24.0 * 1024.0 * 1024.0;
/// Half of an interval, in standard deviations of the difference of two runs: 95 %.
const WIDTH_SIGMAS: f64 = 2.0 * std::f64::consts::SQRT_2;

/// Whether a run with twice the largest batch so far stays within `room`, in bytes.
pub fn fits_surely(told: &[Told], room: u64) -> bool {
    told.last().and_then(highest).is_some_and(|peak| MAX_GROWTH_RATIO.saturating_mul(peak) <= room)
}

/// The highest that a run had at any time.
fn highest(told: &Told) -> Option<u64> {
    let fit = told.largest()?;
    Some(fit.peak.max(fit.making).max(told.outside.unwrap_or(0)))
}

/// The peak of the run at this batch, if `told` is of one.
pub(crate) fn measured(told: &Told, batch: u64) -> Option<Range> {
    told.largest().filter(|fit| fit.batch == Some(batch)).and_then(|_fit| range(told))
}

/// The largest batch among these runs, the smallest first, whose peak lies below the limit with its interval.
pub(crate) fn largest_below(told: &[Told], limit: u64) -> Option<u64> {
    told.iter().rev().find(|told| range(told).is_some_and(|peak| peak.high <= limit))?.largest()?.batch
}

/// The peak of a run.
fn range(told: &Told) -> Option<Range> {
    let peak = highest(told)?;
    let half = (WIDTH_SIGMAS * SCATTER_BYTES).round() as u64;
    Some(Range { estimate: peak, low: peak.saturating_sub(half), high: peak.saturating_add(half) })
}

/// The line of training, through the smallest run and the whole one.
pub(crate) fn line(smallest: &Fit, whole: &Fit) -> Option<Line> {
    Line::between((smallest.batch?, smallest.peak), (whole.batch?, whole.peak))
}
