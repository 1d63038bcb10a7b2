//! What grew, weighed.
//!
//! In: the containers that a walk found longer than before. Out: the bytes of their new elements, the heaviest first; whether there is
//! anything that more scans could tell of. What must not happen here: a look at elements that takes longer than the walk.

use std::collections::HashSet;

use super::{GRAIN, GrownContainer, Scanner};
use crate::clock::Moment;
use crate::elements::newest;
use crate::growth::Rise;
use crate::object::{Object, Python};
use crate::sizes::Sizes;
use crate::tail::Scales;

/// Objects that are walked to weigh one container, first and last.
const SHORT_LOOK: usize = 1500;
const LONG_LOOK: usize = 20_000;

/// Containers that are not told yet and grew as one does that is: so many are asked for what they have in common.
const MOST_ALIKE: usize = 256;
/// Of those that are not told yet, more than so many are not weighed.
const MOST_YOUNG: usize = 64;
/// New elements that are lighter than this together are nobody's growth.
pub(crate) const LIGHT: u64 = 1024;

impl Scanner {
    /// Weighs those that grew, the longest rows first, as long as there is time.
    pub(super) fn weigh(&self, python: &Python, start: Moment) -> Vec<GrownContainer> {
        let mut rises = self.growth.rises.clone();
        rises.sort_by_key(|rise| std::cmp::Reverse((rise.scans, rise.length - rise.before)));
        rises.truncate(self.limits.grown);
        let rises = self.theirs(python, &rises);
        if rises.is_empty() {
            return Vec::new();
        }
        // The number of a place is no object. What grew by as many elements as one that is told may have them in common with it.
        let is_container = |rise: &&Rise| !self.pieces.contains_key(&rise.object.0);
        let steps: HashSet<u64> = rises.iter().map(|rise| rise.length - rise.before).collect();
        let alike = |rise: &&Rise| steps.contains(&(rise.length - rise.before));
        let young = self.growth.young.iter().filter(alike).take(MOST_ALIKE);
        let containers: Vec<Rise> = rises.iter().chain(young).filter(is_container).copied().collect();
        let scales = Scales::new(python, &containers);
        let mut grown: Vec<GrownContainer> = Vec::new();
        for rise in rises {
            let Rise { object, length, before, first, scans } = rise;
            if let Some(piece) = self.pieces.get(&object.0) {
                grown.push(longer(python, *piece, rise));
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
        // First a short look at each, then a long one at those that were not seen whole.
        for most in [SHORT_LOOK, LONG_LOOK] {
            for one in &mut grown {
                if one.partial && start.elapsed() < self.limits.weigh {
                    let tail = scales.tail(one.object, one.length - one.before, one.length, most);
                    (one.bytes, one.elements, one.native) = (tail.bytes, tail.elements, tail.native);
                    (one.shared, one.partial) = (tail.shared, tail.partial);
                }
            }
        }
        grown.sort_by(|left, right| right.bytes.cmp(&left.bytes).then(right.scans.cmp(&left.scans)));
        grown
    }

    /// Those that are the program's: this tool's own follow its objects, and no path leads to them, so that a search for one would go over all
    /// of the heap.
    fn theirs(&self, python: &Python, rises: &[Rise]) -> Vec<Rise> {
        let is_ours = |rise: &&Rise| {
            // The number of a place is no object.
            let is_container = !self.pieces.contains_key(&rise.object.0);
            let newest = is_container.then(|| newest(python, rise.object, 1, 1).items);
            let newest = newest.as_ref().and_then(|items| items.first());
            newest.is_some_and(|one| python.type_name(python.type_of(*one)).starts_with("nilometer."))
        };
        rises.iter().filter(|rise| !is_ours(rise)).copied().collect()
    }

    /// Whether what grew in this scan and is not told yet is more than the few numbers that any training adds to its history.
    pub(super) fn promises(&self, python: &Python, start: Moment) -> bool {
        if self.growth.young.len() > MOST_YOUNG {
            return true;
        }
        let young = self.theirs(python, &self.growth.young);
        let (pieces, containers): (Vec<Rise>, Vec<Rise>) =
            young.iter().partition(|rise| self.pieces.contains_key(&rise.object.0));
        let mut bytes: u64 = pieces.iter().map(|rise| (rise.length - rise.before) * GRAIN).sum();
        if containers.is_empty() {
            return bytes >= LIGHT;
        }
        let scales = Scales::new(python, &containers);
        for rise in &containers {
            let tail = scales.tail(rise.object, rise.length - rise.before, rise.length, SHORT_LOOK);
            bytes += tail.bytes;
            if tail.native || tail.partial || bytes >= LIGHT || start.elapsed() >= self.limits.weigh {
                return true;
            }
        }
        bytes >= LIGHT
    }
}

/// An array or the like took the place of a shorter one.
fn longer(python: &Python, piece: Object, rise: Rise) -> GrownContainer {
    let Rise { length, before, first, scans, .. } = rise;
    GrownContainer {
        object: piece,
        kind: python.type_name(python.type_of(piece)),
        length: length * GRAIN,
        before: before * GRAIN,
        first: first * GRAIN,
        bytes: (length - before) * GRAIN,
        elements: Sizes::new(python).words(piece),
        native: false,
        shared: false,
        partial: false,
        scans,
    }
}
