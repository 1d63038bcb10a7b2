//! Which experiment comes next. Single changes come in their order. A set of changes comes as soon as each
//! explains a part and together they may explain all. Nothing comes once the growth is cured.
//!
//! In: the checklist, and the results so far. Out: the next set of changes.

use crate::compare::Effect;
use crate::intervention::Intervention;
use crate::proof::Experiment;

/// Parts whose shares add up to at least this may be all of the growth.
const MIN_WHOLE_RATIO: f64 = 0.85;
/// Parts whose shares add up to more than this mostly cure the same growth.
const MAX_WHOLE_RATIO: f64 = 1.2;
/// A set must do better than its best part by this share, or its parts cure the same.
const MIN_GAIN_RATIO: f64 = 0.05;
/// Most changes in a set.
const MAX_SET_CHANGES: usize = 4;
/// Most sets that are tried after the list has ended without a cure.
const MAX_FINAL_SETS: usize = 3;

/// The experiments still to make.
#[derive(Clone, Debug)]
pub struct Plan {
    list: Vec<Intervention>,
}

impl Plan {
    /// A plan that follows this list.
    pub fn new(list: Vec<Intervention>) -> Self {
        Self { list }
    }

    /// The next set; none if the growth is cured or nothing is left to try. `started` are sets whose
    /// experiments already run.
    pub fn next(&self, done: &[Experiment], started: &[Vec<Intervention>]) -> Option<Vec<Intervention>> {
        if done.iter().any(|experiment| experiment.verdict == Effect::Cures) {
            return None;
        }
        let is_known = |set: &[Intervention]| {
            done.iter()
                .map(|experiment| experiment.set.as_slice())
                .chain(started.iter().map(Vec::as_slice))
                .any(|tried| same(tried, set))
        };
        let parts = parts(done);
        let sets: Vec<_> = sets(&parts).into_iter().filter(|(set, _)| !overlaps(set, &parts, done)).collect();
        let whole = sets
            .iter()
            .find(|(set, sum)| (MIN_WHOLE_RATIO..=MAX_WHOLE_RATIO).contains(sum) && !is_known(set));
        if let Some((set, _)) = whole {
            return Some(set.clone());
        }
        let single = self.list.iter().map(|one| vec![one.clone()]).find(|set| !is_known(set));
        if single.is_some() {
            return single;
        }
        let tried = done.iter().filter(|experiment| experiment.set.len() > 1).count();
        if tried + started.iter().filter(|set| set.len() > 1).count() >= MAX_FINAL_SETS {
            return None;
        }
        let mut rest: Vec<_> = sets.into_iter().filter(|(set, _)| !is_known(set)).collect();
        rest.sort_by(|a, b| b.1.total_cmp(&a.1));
        rest.into_iter().next().map(|(set, _)| set)
    }

    /// The single changes that have not been tried.
    pub fn left(&self, done: &[Experiment]) -> Vec<Intervention> {
        let tried =
            |one: &Intervention| done.iter().any(|experiment| experiment.set.as_slice() == [one.clone()]);
        self.list.iter().filter(|one| !tried(one)).cloned().collect()
    }
}

/// Whether a part of this set was tried, and did no more than its best change alone.
fn overlaps(set: &[Intervention], parts: &[(Intervention, f64)], done: &[Experiment]) -> bool {
    let alone = |one: &Intervention| parts.iter().find(|part| part.0 == *one).map_or(0.0, |part| part.1);
    done.iter().filter(|tried| tried.set.len() > 1 && tried.set.iter().all(|one| set.contains(one))).any(
        |tried| {
            let best = tried.set.iter().map(alone).fold(0.0, f64::max);
            tried.removed.is_some_and(|share| share.estimate < best + MIN_GAIN_RATIO)
        },
    )
}

/// Single changes that reduce the growth, each with its share.
fn parts(done: &[Experiment]) -> Vec<(Intervention, f64)> {
    let reduces = done.iter().filter(|experiment| experiment.verdict == Effect::Reduces);
    reduces
        .filter_map(|experiment| match experiment.set.as_slice() {
            [one] => Some((one.clone(), experiment.removed.map_or(0.0, |share| share.estimate))),
            _ => None,
        })
        .collect()
}

/// All sets of two to [`MAX_SET_CHANGES`] parts that do not cover one another: the smallest first, among
/// equals the largest share.
fn sets(parts: &[(Intervention, f64)]) -> Vec<(Vec<Intervention>, f64)> {
    let mut out = Vec::new();
    let count = parts.len().min(12); // 2^12 sets are quickly looked at
    for bits in 0_u32..1 << count {
        let size = bits.count_ones() as usize;
        if !(2..=MAX_SET_CHANGES).contains(&size) {
            continue;
        }
        let chosen: Vec<_> = parts
            .iter()
            .take(count)
            .enumerate()
            .filter(|(i, _)| bits & (1 << i) != 0)
            .map(|(_, p)| p)
            .collect();
        let overlap = chosen.iter().any(|a| chosen.iter().any(|b| a.0 != b.0 && a.0.covers(&b.0)));
        if !overlap {
            let sum: f64 = chosen.iter().map(|part| part.1).sum();
            out.push((chosen.into_iter().map(|part| part.0.clone()).collect::<Vec<_>>(), sum));
        }
    }
    out.sort_by(|a, b| a.0.len().cmp(&b.0.len()).then(b.1.total_cmp(&a.1)));
    out
}

fn same(a: &[Intervention], b: &[Intervention]) -> bool {
    a.len() == b.len() && a.iter().all(|one| b.contains(one))
}
