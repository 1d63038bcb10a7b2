//! The full collection that Python makes while it exits: what it freed, and how much of that was garbage.
//!
//! In: the readings before and after it. Out: bytes. What must not happen here: what functions held until they returned taken
//! for garbage. A model that `main()` held is a web of reference cycles, and goes in this collection too.

use crate::numbers::{MAX_GARBAGE_OBJECT_BYTES, MIN_GARBAGE_OBJECT_BYTES, MIN_RISE_BYTES, MOST, TENTH};
use nilometer_capture::Moment;

use crate::counted::garbage::{max_object_bytes, rising};
use crate::cycles::Point;
use crate::timeline::{Basis, Reading, Timeline};

/// Bytes of garbage per container object that are usual at least, and at most; between them what collections of this very program
/// were seen to free.
const GARBAGE_OBJECT_BYTES: (f64, f64) = (MIN_GARBAGE_OBJECT_BYTES, MAX_GARBAGE_OBJECT_BYTES);
/// A full collection also empties the interpreter's lists of freed tuples, floats and dicts; measured on TensorFlow programs. Where readings
/// tell what lies in them, they are not alive before either.
const FREE_LISTS: f64 = MIN_RISE_BYTES;
/// It frees less than all garbage by up to this share: modules and the last frames still hold some.
const ERROR_RATIO: f64 = TENTH;
/// Share of what was freed that is taken for garbage at most.
const GARBAGE: f64 = MOST;

/// What the collection at exit found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExitCollection {
    pub(crate) freed: f64,
    /// The most that all garbage may have been.
    at_most: f64,
    /// What fell while exit handlers ran.
    by_handlers: f64,
    /// Objects, if Python told.
    objects: Option<f64>,
    /// What of it may be the interpreter's lists.
    lists: f64,
    /// Collections of the middle and the old generation before it.
    collections: Option<u64>,
    /// Full collections before it.
    full: Option<u64>,
    /// Bytes that an object weighed, with all it kept.
    weight: Option<f64>,
}

/// What live memory fell by from the end of the program's code until its exit handlers had run; 0 where the end was not read.
fn fall_while_handlers_ran(timeline: &Timeline) -> f64 {
    let ends: Vec<&Reading> =
        timeline.readings.iter().filter(|reading| reading.moment == Moment::BeforeExit).collect();
    match ends.as_slice() {
        [code_ended, ran, _before_collection, ..] => {
            code_ended.live.zip(ran.live).map_or(0.0, |(code_ended, ran)| (code_ended - ran).max(0.0))
        }
        _ => 0.0,
    }
}

fn collections(reading: &Reading) -> Option<u64> {
    Some(reading.counters.gc1? + reading.counters.gc2?)
}

impl ExitCollection {
    /// The most that all garbage may have been.
    pub(crate) fn at_most(self) -> f64 {
        self.at_most
    }

    pub(crate) fn of(timeline: &Timeline, basis: Basis) -> Option<Self> {
        if basis != Basis::Live {
            return None;
        }
        // The last one before it: between the program's end and the collection, exit handlers go with all that they kept.
        let at = |moment| timeline.readings.iter().rev().find(|r| r.moment == moment);
        let (before, after) = (at(Moment::BeforeExit)?, at(Moment::AfterExitCollection)?);
        let counted = after.counters.gc_collected.zip(before.counters.gc_collected);
        let collected = (before.live? - after.live?).max(0.0);
        let objects = counted.map(|(after, before)| after.saturating_sub(before) as f64);
        Some(Self {
            freed: collected,
            at_most: if timeline.exit_leaves_garbage {
                f64::INFINITY
            } else {
                (1.0 + ERROR_RATIO) * collected
            },
            by_handlers: fall_while_handlers_ran(timeline),
            objects,
            weight: objects.filter(|n| *n >= 1.0).map(|n| collected / n),
            lists: if before.counters.py_kept.is_some() { 0.0 } else { FREE_LISTS },
            collections: collections(before),
            full: before.counters.gc2,
        })
    }

    /// With what exit handlers freed of it: finalizers run before the collection, and so do libraries' own clean-ups. They free what garbage
    /// keeps beyond Python. An object of garbage keeps `object_bytes` at most, by the collections within the run; so much may be garbage, and
    /// what is usual is taken for it.
    pub(crate) fn with_exit_handlers(self, object_bytes: f64) -> Self {
        let objects = self.objects.unwrap_or(0.0);
        let usual = self.by_handlers.min(objects * GARBAGE_OBJECT_BYTES.1);
        let most = self.by_handlers.min(objects * object_bytes.max(GARBAGE_OBJECT_BYTES.1));
        Self {
            freed: self.freed + usual,
            at_most: self.at_most + (1.0 + ERROR_RATIO) * most,
            by_handlers: 0.0,
            ..self
        }
    }

    /// Whether the garbage of these points was still there. A full collection after the last of them took it, and left none of it to this one.
    pub(crate) fn had_garbage_of(self, timeline: &Timeline, points: &[Point]) -> bool {
        let last = points.last().and_then(|last| timeline.readings.get(last.reading)?.counters.gc2);
        last.zip(self.full).is_none_or(|(last, full)| full <= last)
    }

    /// What it freed, for each cycle since the last full one.
    pub(crate) fn freed_per_cycle(self, full: &[Point], points: &[Point]) -> Option<f64> {
        Some(self.freed / Self::cycles_since(full, points)?)
    }

    /// The most that was garbage, for each of these cycles.
    pub(crate) fn at_most_per_cycle(self, full: &[Point], points: &[Point]) -> Option<f64> {
        Some(self.at_most / Self::cycles_since(full, points)?)
    }

    fn cycles_since(full: &[Point], points: &[Point]) -> Option<f64> {
        // Without one within the points, it may have been just before them.
        let last_full = full.last().or(points.first()).map_or(1.0, |p| p.ordinal as f64);
        Some((points.last()?.ordinal as f64 - last_full).max(1.0))
    }

    /// What earlier collections can have left of it at most, for each cycle since the last full one. The rest is the sawtooth, made
    /// since the last of them: what the last point is above its `flat` level, if no other came before the exit, to within a cycle; and the
    /// interpreter's own lists.
    pub(crate) fn left_per_cycle(
        self,
        timeline: &Timeline,
        full: &[Point],
        points: &[Point],
        flat: &[f64],
    ) -> Option<f64> {
        let last = points.last()?;
        let same = self.collections.is_some()
            && self.collections == timeline.readings.get(last.reading).and_then(collections);
        let tooth = if same { (last.level - flat.last()? - rising(points).max(0.0)).max(0.0) } else { 0.0 };
        Self { freed: (self.freed - self.lists - tooth).max(0.0), ..self }.freed_per_cycle(full, points)
    }

    /// What of `freed` bytes per cycle was garbage by what is usual: it hangs on objects, on those that were made in each cycle
    /// and on those that were collected; what else went are lists of free objects. `weight` is what an object was seen to weigh
    /// in collections within the run.
    pub(crate) fn usual_garbage(self, freed: f64, made: f64, weight: Option<f64>) -> f64 {
        let (least, most) = GARBAGE_OBJECT_BYTES;
        let usual = weight.map_or(least, |seen| seen.clamp(least, most));
        let share = freed / self.freed.max(1.0);
        let collected = self.objects.map_or(f64::INFINITY, |n| share * (n * usual + self.lists));
        (GARBAGE * freed).min(made * usual).min(collected)
    }

    /// What of `freed` bytes per cycle was garbage if each object weighed as much as those that collections freed within the run.
    pub(crate) fn garbage_of_weight(self, freed: f64, weight: f64) -> f64 {
        let share = self.objects.map_or(0.0, |n| n * weight / self.freed.max(1.0));
        freed * share.min(1.0)
    }

    /// Bytes that an object weighed, with all it kept.
    pub(crate) fn weight(self) -> Option<f64> {
        self.weight
    }

    /// Without what a complete look at the end of the points did not see as garbage. Exit handlers let go of that afterwards: pyplot's closes all
    /// figures. Beyond what Python shows, an object of that garbage keeps no more than any may.
    pub(crate) fn without_exit_handlers(self, timeline: &Timeline, points: &[Point]) -> Self {
        let Some((first, last)) = timeline.unreached.first().zip(timeline.unreached.last()) else {
            return self;
        };
        let [.., before, end] = points else { return self };
        if last.at_ns < before.at_ns {
            return self;
        }
        // Objects that native code holds may hang on garbage. The last cycle may have ended after the look.
        let native = (last.native_bytes - first.native_bytes).max(0.0);
        let cycle = rising(points).max(0.0) * (end.ordinal - before.ordinal) as f64;
        let unseen = last.garbage_objects * max_object_bytes(timeline, points, Some(self));
        let waited = last.garbage_bytes + native + unseen + cycle;
        Self {
            freed: self.freed.min(waited),
            at_most: self.at_most.min(waited),
            objects: self.objects.map(|objects| objects.min(last.garbage_objects)),
            ..self
        }
    }
}
