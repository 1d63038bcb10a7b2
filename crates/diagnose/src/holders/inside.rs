//! What each new element of a container keeps besides is a part of what the container keeps: the waiters of futures in a list.
//!
//! In: findings with holders, what the scans said of containers. Out: fewer findings. What must not happen here: a container that grows
//! in an element which stays the same (a callback's list, of a list of callbacks) taken for a part of the list around it.

use nilometer_model::HolderPath;

use super::HolderEvidence;
use super::join::merge;
use super::scans::Rise;
use crate::report::Finding;

impl HolderEvidence<'_> {
    /// Folds each finding into the bigger one whose new elements keep its memory.
    pub(crate) fn take_in_parts(&self, findings: Vec<Finding>) -> Vec<Finding> {
        let mut out: Vec<Finding> = Vec::new();
        let mut parts = Vec::new();
        for finding in &findings {
            let around = findings.iter().find(|other| self.is_part(finding, other));
            parts.push(around.and_then(|around| around.holder.as_ref()).map(|holder| holder.path.clone()));
        }
        let (whole, part): (Vec<_>, Vec<_>) =
            findings.into_iter().zip(parts).partition(|(_, around)| around.is_none());
        out.extend(whole.into_iter().map(|(finding, _)| finding));
        for (finding, around) in part {
            let is_around =
                |f: &&mut Finding| f.holder.as_ref().map(|holder| &holder.path) == around.as_ref();
            match out.iter_mut().find(is_around) {
                Some(known) => merge(known, finding, false),
                // What is around it is a part itself.
                None => out.push(finding),
            }
        }
        out
    }

    fn is_part(&self, finding: &Finding, other: &Finding) -> bool {
        let (Some(holder), Some(around)) = (&finding.holder, &other.holder) else { return false };
        let container = HolderPath::of(&around.path);
        HolderPath::of(&holder.path).is_part_of_each(container)
            && finding.bytes_per_cycle.estimate < other.bytes_per_cycle.estimate
            && self.gains(container)
    }

    /// Whether scans saw this container become longer.
    fn gains(&self, container: HolderPath) -> bool {
        self.rises.iter().any(|(id, rises)| {
            let is_same = |path: &str| HolderPath::of(path).has_container_of(container);
            let is_it = self.holder(*id).is_some_and(|holder| is_same(&holder.path));
            let length = |rise: Option<&Rise>| rise.map_or(0, |rise| rise.grown.length);
            // One is told from the third scan on that it grew in.
            is_it && (rises.len() == 1 || length(rises.last()) > length(rises.first()))
        })
    }
}
