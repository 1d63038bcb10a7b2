//! The line that made what a holder keeps, where its site alone was too small to be told as growing.
//!
//! In: findings with a holder and without a line that makes, and the samples that a look met below that holder. Out: the line. What
//! must not happen here: a line by one sample, or by a minority of them.

use std::collections::BTreeMap;

use nilometer_model::HolderPath;

use super::Sites;
use super::attribution::Place;
use crate::report::Finding;
use crate::sample::Sample;

/// Samples that tell a line at least, ...
const MIN_SAMPLES: usize = 3;
/// ... and their share of what was met below the holder.
const MIN_SAMPLES_RATIO: f64 = 0.6;

impl Sites<'_> {
    /// Adds the line, and what it was called by.
    pub(crate) fn add_made_at(&self, findings: &mut [Finding]) {
        for finding in findings {
            let Some(path) = finding.holder.as_ref().map(|h| HolderPath::of(&h.path)) else { continue };
            if finding.sites.iter().any(|site| site.role == "made_at") {
                continue;
            }
            let is_below = self.held.below(path);
            let below: Vec<Sample> =
                self.recording.samples.iter().filter(|s| is_below(s.id)).copied().collect();
            let Some(stack) = self.most(&below) else { continue };
            let Some(trail) = self.trails.get(&stack) else { continue };
            // As sure as the holder, whose bytes they are.
            finding.sites.extend(self.site(&trail.place, stack, finding.bytes_per_cycle.estimate));
            if finding.stack.is_empty() {
                finding.stack = self.carrying(stack, &below);
            }
        }
    }

    /// The heaviest stack of the one line that made most of these.
    fn most(&self, samples: &[Sample]) -> Option<u64> {
        let mut by_place: BTreeMap<&Place, (usize, f64, BTreeMap<u64, f64>)> = BTreeMap::new();
        let mut all = 0.0;
        for sample in samples {
            all += sample.weight;
            let Some(trail) = self.trails.get(&sample.stack) else { continue };
            let (count, bytes, stacks) = by_place.entry(&trail.place).or_default();
            *count += 1;
            *bytes += sample.weight;
            *stacks.entry(sample.stack).or_default() += sample.weight;
        }
        let (place, (count, bytes, stacks)) = by_place.into_iter().max_by(|a, b| a.1.1.total_cmp(&b.1.1))?;
        if !matches!(place, Place::Line(_)) || count < MIN_SAMPLES || bytes < MIN_SAMPLES_RATIO * all {
            return None;
        }
        stacks.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(stack, _)| stack)
    }
}
