//! Samples by site: one user line may make memory by several stacks, and still is one site.
//!
//! In: samples that outlived a few cycles, and where each was made. Out: the sites that grow, the biggest first. What must
//! not happen here: unrelated habits under one line that together look like growth which none of them is.

use crate::numbers::{AGAIN, MIN_POINTS, TENTH};
use std::collections::BTreeMap;

use super::attribution::{Attribution, Place};
use super::growing::{Growing, Look};
use super::id_map::ById;
use super::replacement::is_made_good;
use crate::holders::{HolderEvidence, MAX_NUMBER_BYTES};
use crate::sample::Sample;

/// A site that grows, and its samples that make the growth.
pub(crate) struct GrowingSite<'a> {
    pub(crate) place: Place<'a>,
    pub(crate) growing: Growing,
    pub(crate) survivors: Vec<Sample>,
    /// The user's line does the work, or is called by a library: not just the call of a training loop.
    pub(crate) direct: bool,
}

impl GrowingSite<'_> {
    /// Whether all that it keeps is as small as a number, but for a text or the list itself that a sample met by chance: a line that keeps
    /// something else in each cycle has a sample of it per cycle.
    pub(super) fn is_of_numbers(&self) -> bool {
        let others = self.survivors.iter().filter(|one| one.size() > MAX_NUMBER_BYTES).count();
        others <= AGAIN && others as f64 <= TENTH * self.survivors.len() as f64
    }
}

/// Birth cycles from which on a line's growth is believed as a whole: in fewer, three things that happened once each
/// look like one that goes on.
const AS_A_WHOLE: usize = MIN_POINTS - 1;

/// The sites that grow. Where a line as a whole does not, or not for long enough, the biggest of what it calls may.
pub(super) fn grown<'a>(
    old: &[&Sample],
    trails: &ById<Attribution<'a>>,
    look: &Look,
    held: &HolderEvidence,
) -> Vec<GrowingSite<'a>> {
    let mut sites: BTreeMap<&Place<'a>, Vec<&Sample>> = BTreeMap::new();
    for sample in old {
        match trails.get(&sample.stack) {
            Some(trail) if trail.place != Place::Unknown => {
                sites.entry(&trail.place).or_default().push(sample);
            }
            _ => {}
        }
    }
    let is_array = |s: &Sample| trails.get(&s.stack).is_some_and(Attribution::is_array);
    let mut out = Vec::new();
    for (place, samples) in sites {
        let whole = look
            .growing(&samples, held.reachability(&samples, is_array))
            .filter(|g| g.distinct >= AS_A_WHOLE);
        let found =
            whole.map(|growing| (growing, samples.clone())).or_else(|| biggest(samples, trails, look, held));
        if let Some((growing, samples)) = found {
            let site = site(place, growing, &samples, trails, look);
            if !is_made_good(&site.survivors, old, look) {
                out.push(site);
            }
        }
    }
    out.sort_by(|a, b| b.growing.rate.estimate.total_cmp(&a.growing.rate.estimate));
    out
}

/// The part of a line's samples that grows most by itself: parts differ in the library's line and the framework's part.
fn biggest<'s>(
    samples: Vec<&'s Sample>,
    trails: &ById<Attribution>,
    look: &Look,
    held: &HolderEvidence,
) -> Option<(Growing, Vec<&'s Sample>)> {
    let mut parts: BTreeMap<_, Vec<&Sample>> = BTreeMap::new();
    for sample in samples {
        let trail = trails.get(&sample.stack);
        let part = trail.and_then(|t| t.part.as_ref()).map(|p| p.words.as_str());
        parts.entry((trail.and_then(|t| t.library), part)).or_default().push(sample);
    }
    let is_array = |s: &Sample| trails.get(&s.stack).is_some_and(Attribution::is_array);
    let grown = parts
        .into_values()
        .filter_map(|part| Some((look.growing(&part, held.reachability(&part, is_array))?, part)));
    grown.max_by(|a, b| a.0.rate.estimate.total_cmp(&b.0.rate.estimate))
}

fn site<'a>(
    place: &Place<'a>,
    growing: Growing,
    samples: &[&Sample],
    trails: &ById<Attribution>,
    look: &Look,
) -> GrowingSite<'a> {
    let survivors: Vec<Sample> =
        samples.iter().filter(|s| growing.holds(s, look.bins)).map(|s| **s).collect();
    let direct = |s: &&Sample| trails.get(&s.stack).is_some_and(|t| t.direct);
    let by: f64 = survivors.iter().filter(|s| direct(s)).map(|s| s.weight).sum();
    let all: f64 = survivors.iter().map(|s| s.weight).sum();
    GrowingSite { place: place.clone(), growing, survivors, direct: by > 0.5 * all }
}
