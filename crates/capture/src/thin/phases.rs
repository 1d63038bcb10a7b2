//! Edges of phases: a phase that began and ended within one stretch is told by no reading that is kept, and goes as a pair.
//!
//! In: edges in the order of each thread. Out: those that stay. What must not happen here: an edge that goes alone; the nest of
//! phases would never close again.

use std::collections::BTreeMap;

use super::ages::{Ages, Kept, Size};
use crate::reader::Stamped;
use crate::record::{Edge, Record};

/// Begins whose end has not come, by process, thread and name.
#[derive(Debug, Default)]
pub(super) struct Phases {
    open: BTreeMap<(u32, u64, String), Vec<Stamped>>,
}

impl Phases {
    pub(super) fn take(&mut self, stamped: Stamped, ages: &Ages, put: &mut impl FnMut(Stamped)) {
        let Record::Phase { name, edge, thread } = &stamped.record else { return put(stamped) };
        let key = (stamped.pid, *thread, name.clone());
        match edge {
            Edge::Begin => self.open.entry(key).or_default().push(stamped),
            Edge::End => {
                let begin = self.open.get_mut(&key).and_then(Vec::pop);
                if self.open.get(&key).is_some_and(Vec::is_empty) {
                    self.open.remove(&key);
                }
                let Some(begin) = begin else { return put(stamped) };
                let kept = |at_ns: u64| ages.kept(at_ns, Size::Small);
                let goes = match (kept(begin.at_ns), kept(stamped.at_ns)) {
                    (_, Kept::None) => true,
                    (one @ Kept::One(_), other) => one == other,
                    _ => false,
                };
                if !goes {
                    put(begin);
                    put(stamped);
                }
            }
        }
    }

    pub(super) fn finish(self, put: &mut impl FnMut(Stamped)) {
        self.open.into_values().flatten().for_each(put);
    }
}
