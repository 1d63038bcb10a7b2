//! What all sites together keep: of memory that just changes places one site keeps what another one gives back.
//!
//! In: all samples that outlived a few cycles. Out: whether there is room for what a site is accused of. What must not happen here: the death
//! of one coarse sample, of 66 bytes that stood for half a megabyte, taken for half a megabyte that other memory took the place of.

use crate::numbers::{DEVIATIONS, HALF};
use nilometer_stats::Sampled;

use super::growing::{Look, SURVIVAL_CYCLES};
use crate::sample::Sample;

/// All sites together must keep at least this share of what one is accused of.
const MIN_NET_RATIO: f64 = HALF;

/// Old memory that came in the judged cycles and stayed, less old memory that went.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Net {
    /// Bytes per cycle, as far as sampling may have missed them.
    at_most: f64,
}

impl Net {
    pub(crate) fn of(old: &[&Sample], look: &Look) -> Self {
        let Some((end, born_before)) = look.ends() else { return Self { at_most: 0.0 } };
        let begins = look.begins();
        let mut came = Sampled::default();
        let mut went = vec![Sampled::default(); look.bins.len()];
        for sample in old {
            if sample.born_ns > begins && sample.born_ns <= born_before && sample.lives_at(end) {
                came.add(sample.weight, sample.chance);
            } else if sample.born_ns <= begins
                && sample.died_ns > begins
                && sample.died_ns <= end
                && let Some(went) = went.get_mut(look.bins.at(sample.died_ns))
            {
                went.add(sample.weight, sample.chance);
            }
        }
        // What went in one or two cycles went once: the trace of a graph, a data set that was read.
        went.sort_by(|a, b| b.bytes.total_cmp(&a.bytes));
        let went = went.iter().skip(2);
        let variance = came.variance + went.clone().map(|w| w.variance).sum::<f64>();
        let bytes = came.bytes - went.map(|w| w.bytes).sum::<f64>();
        let bins = look.first..look.bins.len().saturating_sub(SURVIVAL_CYCLES);
        let cycles: f64 = bins.map(|bin| look.bins.width(bin)).sum();
        Self { at_most: (bytes + DEVIATIONS * variance.sqrt()) / cycles.max(1.0) }
    }

    /// Whether a site that makes at least so many bytes per cycle may be one that keeps them.
    pub(crate) fn leaves_room_for(self, bytes: f64) -> bool {
        MIN_NET_RATIO * bytes <= self.at_most
    }
}
