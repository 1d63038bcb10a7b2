//! A step in the middle of a run: memory that rises once, and stays, as when layers are unfrozen.
//!
//! In: levels at the ends of cycles. Out: where the one step is, and how high. What must not happen here: a slope, a sawtooth or one of
//! several steps told as the only one.

/// Levels on each side of a step.
const MIN_LEVELS: usize = 3;
/// A step is so many times as high as the levels on either side spread.
const MIN_HEIGHT_RATIO: f64 = 2.0;

/// The step between two levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    /// Index of the first level behind it.
    pub(crate) at: usize,
    pub(crate) bytes: f64,
}

/// The one step of these levels.
pub(crate) fn step(levels: &[f64]) -> Option<Step> {
    let last = levels.len().checked_sub(MIN_LEVELS)?;
    let (before, after) = (running(levels.iter()), running(levels.iter().rev()));
    // Of the levels in front of an index, and of those from it on: the lowest and the highest.
    let sides =
        |at: usize| Some((*before.get(at.checked_sub(1)?)?, *after.get(levels.len().checked_sub(at + 1)?)?));
    let gap = |at: &usize| sides(*at).map_or(f64::MIN, |((_, highest), (lowest, _))| lowest - highest);
    let at = (MIN_LEVELS..=last).max_by(|a, b| gap(a).total_cmp(&gap(b)))?;
    let (front, behind) = sides(at)?;
    let clear = gap(&at) > MIN_HEIGHT_RATIO * (front.1 - front.0).max(behind.1 - behind.0);
    let (before, after) = levels.split_at(at);
    clear.then(|| Step { at, bytes: middle(after) - middle(before) })
}

/// The lowest and the highest of the levels so far, at each of them.
fn running<'l>(levels: impl Iterator<Item = &'l f64>) -> Vec<(f64, f64)> {
    let ends = levels.scan((f64::MAX, f64::MIN), |(low, high), level| {
        (*low, *high) = (low.min(*level), high.max(*level));
        Some((*low, *high))
    });
    ends.collect()
}

fn middle(levels: &[f64]) -> f64 {
    let mut sorted = levels.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_step_that_stays() {
        let levels = [99.1, 98.8, 96.9, 132.0, 132.0, 132.1, 132.1, 132.1];
        let found = step(&levels).map(|step| (step.at, step.bytes.round()));
        assert_eq!(found, Some((3, 33.0)));
    }

    #[test]
    fn what_is_no_step() {
        let slope: Vec<f64> = (0..30).map(f64::from).collect();
        let stairs: Vec<f64> = (0..30).map(|at| f64::from(at / 10)).collect();
        let teeth: Vec<f64> = (0..30).map(|at| f64::from(at % 10)).collect();
        let peak: Vec<f64> = (0..30).map(|at| if (10..20).contains(&at) { 9.0 } else { 0.0 }).collect();
        for levels in [slope, stairs, teeth, peak, vec![1.0, 9.0, 9.0, 9.0], vec![], vec![5.0; 9]] {
            assert_eq!(step(&levels), None, "{levels:?}");
        }
    }
}
