//! Weighs the containers that grew.
//!
//! In: containers that a walk found longer than before. Out: the bytes of their new elements, the heaviest
//! first; whether more scans could show a growth. What must not happen here: a walk through elements that
//! takes longer than the walk over all objects.

use std::collections::HashSet;

use super::{BULK_UNIT_BYTES, GrownContainer, Scanner};
use crate::clock::CpuInstant;
use crate::elements::newest;
use crate::growth_table::ContainerGrowth;
use crate::object::{Object, Python};
use crate::retained_size::Weigher;
use crate::sizes::Sizes;

/// Objects that are walked to weigh one container, in the first and the second round.
const SHORT_WALK_OBJECTS: usize = 1500;
const LONG_WALK_OBJECTS: usize = 20_000;

/// Unconfirmed containers that grew like a reported one: this many are searched for shared elements.
const MAX_ALIKE: usize = 256;
/// With more unconfirmed containers than this, none is weighed: another scan is worth it.
const MAX_WEIGHED_UNCONFIRMED: usize = 64;
/// New elements lighter than this together are no growth.
pub(crate) const MIN_GROWTH_BYTES: u64 = 1024;

impl Scanner {
    /// Weighs growing containers, the longest rows first, while there is time.
    pub(super) fn weigh(&self, python: &Python, start: CpuInstant) -> Vec<GrownContainer> {
        let mut growths = self.growth_table.confirmed.clone();
        growths.sort_by_key(|growth| std::cmp::Reverse((growth.scans, growth.length - growth.before)));
        growths.truncate(self.limits.grown);
        let growths = self.programs_own(python, &growths);
        let mut grown: Vec<GrownContainer> = self.fallen_values(python);
        if growths.is_empty() {
            return grown;
        }
        // The number of a place is no object. A container that grew by the same number of elements may share
        // them.
        let is_container = |growth: &&ContainerGrowth| !self.bulk_values.contains_key(&growth.object.0);
        let steps: HashSet<u64> = growths.iter().map(|growth| growth.length - growth.before).collect();
        let alike = |growth: &&ContainerGrowth| steps.contains(&(growth.length - growth.before));
        let unconfirmed = self.growth_table.unconfirmed.iter().filter(alike).take(MAX_ALIKE);
        let containers: Vec<ContainerGrowth> =
            growths.iter().chain(unconfirmed).filter(is_container).copied().collect();
        let weigher = Weigher::new(python, &containers);
        for growth in growths {
            let ContainerGrowth { object, length, before, first, scans } = growth;
            if let Some(bulk) = self.bulk_values.get(&object.0) {
                grown.push(bulk_growth(python, *bulk, growth));
                continue;
            }
            let one = GrownContainer {
                object,
                kind: python.type_name(python.type_of(object)),
                length,
                before,
                first,
                bytes: 0,
                elements: String::new(),
                native: false,
                shared: false,
                partial: true,
                scans,
            };
            grown.push(one);
        }
        // First a short walk for each, then a long one for those that are still partial.
        for limit in [SHORT_WALK_OBJECTS, LONG_WALK_OBJECTS] {
            for one in &mut grown {
                if one.partial && start.elapsed() < self.limits.weigh {
                    let retained = weigher.retained(one.object, one.length - one.before, one.length, limit);
                    (one.bytes, one.elements, one.native) =
                        (retained.bytes, retained.elements, retained.native);
                    (one.shared, one.partial) = (retained.shared, retained.partial);
                }
            }
        }
        grown.sort_by(|left, right| right.bytes.cmp(&left.bytes).then(right.scans.cmp(&left.scans)));
        grown
    }

    /// Bulk values that were told to grow and are shorter now: they vary.
    fn fallen_values(&self, python: &Python) -> Vec<GrownContainer> {
        let fallen = self.growth_table.fallen.iter();
        let of = |growth: &ContainerGrowth| {
            Some(bulk_growth(python, *self.bulk_values.get(&growth.object.0)?, *growth))
        };
        fallen.filter_map(of).take(self.limits.grown).collect()
    }

    /// Containers of the program. This tool's own grow with its objects, and no path leads to them: a search
    /// for one would visit the whole heap.
    fn programs_own(&self, python: &Python, growths: &[ContainerGrowth]) -> Vec<ContainerGrowth> {
        let is_ours = |growth: &&ContainerGrowth| {
            // The number of a place is no object.
            let is_container = !self.bulk_values.contains_key(&growth.object.0);
            let newest = is_container.then(|| newest(python, growth.object, 1, 1).items);
            let newest = newest.as_ref().and_then(|items| items.first());
            newest.is_some_and(|one| python.type_name(python.type_of(*one)).starts_with("nilometer."))
        };
        growths.iter().filter(|growth| !is_ours(growth)).copied().collect()
    }

    /// Whether unconfirmed growth of this scan is heavier than the few numbers that any training appends to
    /// its history.
    pub(super) fn promises(&self, python: &Python, start: CpuInstant) -> bool {
        if self.growth_table.unconfirmed.len() > MAX_WEIGHED_UNCONFIRMED {
            return true;
        }
        let unconfirmed = self.programs_own(python, &self.growth_table.unconfirmed);
        let (bulk_values, containers): (Vec<ContainerGrowth>, Vec<ContainerGrowth>) =
            unconfirmed.iter().partition(|growth| self.bulk_values.contains_key(&growth.object.0));
        let mut bytes: u64 =
            bulk_values.iter().map(|growth| (growth.length - growth.before) * BULK_UNIT_BYTES).sum();
        if containers.is_empty() {
            return bytes >= MIN_GROWTH_BYTES;
        }
        let weigher = Weigher::new(python, &containers);
        for growth in &containers {
            let retained = weigher.retained(
                growth.object,
                growth.length - growth.before,
                growth.length,
                SHORT_WALK_OBJECTS,
            );
            bytes += retained.bytes;
            if retained.native
                || retained.partial
                || bytes >= MIN_GROWTH_BYTES
                || start.elapsed() >= self.limits.weigh
            {
                return true;
            }
        }
        bytes >= MIN_GROWTH_BYTES
    }
}

/// The growth of a bulk value, or its fall.
fn bulk_growth(python: &Python, bulk: Object, growth: ContainerGrowth) -> GrownContainer {
    let ContainerGrowth { length, before, first, scans, .. } = growth;
    GrownContainer {
        object: bulk,
        kind: python.type_name(python.type_of(bulk)),
        length: length * BULK_UNIT_BYTES,
        before: before * BULK_UNIT_BYTES,
        first: first * BULK_UNIT_BYTES,
        bytes: length.saturating_sub(before) * BULK_UNIT_BYTES,
        elements: Sizes::new(python).describe(bulk),
        native: false,
        shared: false,
        partial: false,
        scans,
    }
}
