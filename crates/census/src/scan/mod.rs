//! The scan: a walk over everything that the collector tracks, reading types and lengths only.
//!
//! In: the heap, under the GIL. Out: the containers that grow, weighed, and the types whose objects become more or fewer. What
//! must not happen here: a walk without end. Objects and time are bounded; what was not reached is not forgotten.

mod weigh;

use std::collections::HashMap;
use std::time::Duration;

use crate::clock::Moment;

use crate::growth::Growth;
use crate::layout::{SIZE, dict, set};
use crate::memory;
use crate::object::{Object, Python, Type};
use crate::sizes::ByAddress;
use crate::traits::Types;
use crate::types::{Shape, shape_of};
use crate::users::{Below, Parent, Users};

pub(crate) use weigh::LIGHT;

/// Shorter arrays and tables than this are not followed, and lengths of others are counted in so many bytes.
const LEAST_PIECE: u64 = 16 << 10;
const GRAIN: u64 = 64;

/// How far a scan may go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Objects that are looked at.
    pub objects: u64,
    /// Time for the walk over all objects.
    pub walk: Duration,
    /// Time for weighing what grew; what is left over has no bytes.
    pub weigh: Duration,
    /// Containers that are told.
    pub grown: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            objects: 20_000_000,
            walk: Duration::from_millis(120),
            weigh: Duration::from_millis(30),
            grown: 64,
        }
    }
}

/// Numbers of one scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScanCounts {
    /// Objects that were looked at.
    pub objects: u64,
    /// Containers among them.
    pub containers: u64,
    /// Dicts that the collector does not track, found below what the user's code made.
    pub untracked: u64,
    /// Containers that grow, told or not.
    pub growing: u64,
    /// Bytes of our own tables.
    pub table_bytes: u64,
    /// The walk over all objects, and all of the scan with it: the GIL was held so long.
    pub walk_ns: u64,
    /// See `walk_ns`.
    pub cost_ns: u64,
    /// Everything was looked at.
    pub whole: bool,
}

/// A container that grew, in at least two of the last scans, and did not shrink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrownContainer {
    /// Good until Python code can run again.
    pub object: Object,
    /// Its type, with module.
    pub kind: String,
    /// Elements now; bytes of an array, a tensor or a table, as in the next two.
    pub length: u64,
    /// Elements in the scan before.
    pub before: u64,
    /// Elements when it began to grow.
    pub first: u64,
    /// Bytes that would be free without the elements that are new since the scan before.
    pub bytes: u64,
    /// What these are: `12 x ndarray (2000, 500) float64`.
    pub elements: String,
    /// Native memory of unknown size hangs below them.
    pub native: bool,
    /// Something else holds each of them, too.
    pub shared: bool,
    /// `bytes` is a lower bound.
    pub partial: bool,
    /// Scans since it began to grow.
    pub scans: u32,
}

/// What one scan found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Its numbers.
    pub counts: ScanCounts,
    /// Containers that grow, the heaviest first.
    pub grown: Vec<GrownContainer>,
    /// More scans may tell of something: of these, or of what grew in this one alone and is heavy enough.
    pub promising: bool,
    /// Types by name, the objects of each now, and the change since the scan before where there is one.
    pub types: Vec<(String, u64, i64)>,
}

/// A type during one scan.
#[derive(Clone, Copy, Debug)]
struct Met {
    kind: Type,
    shape: Shape,
    parent: Parent,
    count: u64,
}

/// What is kept from scan to scan: numbers and names, no object.
#[derive(Debug, Default)]
pub struct Scanner {
    growth: Growth,
    users: Users,
    /// Arrays, tensors and tables of the last scan by their places; only their places are kept from scan to scan.
    pieces: ByAddress<u64, Object>,
    types: HashMap<String, u64>,
    /// How far a scan may go.
    pub limits: Limits,
}

impl Scanner {
    /// Looks at the heap. The caller holds the GIL.
    pub fn scan(&mut self, python: &Python) -> Found {
        let start = Moment::now();
        let mut counts = ScanCounts { whole: true, ..ScanCounts::default() };
        let met = self.walk(python, start, &mut counts);
        counts.walk_ns = nanoseconds(start);
        let types = self.count(python, &met, counts.whole);
        counts.growing = self.growth.rises.len() as u64;
        let began = Moment::now();
        let grown = self.weigh(python, began);
        let promising = !grown.is_empty() || self.promises(python, began);
        counts.table_bytes =
            self.growth.bytes() + self.types.keys().map(|name| name.capacity() as u64 + 40).sum::<u64>();
        counts.cost_ns = nanoseconds(start);
        Found { counts, grown, promising, types }
    }

    fn walk(&mut self, python: &Python, start: Moment, counts: &mut ScanCounts) -> Vec<Met> {
        /// Objects between two looks at the clock.
        const STRETCH: u64 = 4096;
        let mut met: Types<Met> = Types::new();
        let (limits, growth, users) = (self.limits, &mut self.growth, &mut self.users);
        let pieces = &mut self.pieces;
        pieces.clear();
        growth.begin();
        users.begin(python);
        let mut below = |growth: &mut Growth, counts: &mut ScanCounts, found| match found {
            Below::Dict(dict) => {
                counts.untracked += 1;
                growth.meet(dict, Type(python.known.dict), memory::word(dict.0, dict::USED));
            }
            Below::Piece { place, piece, bytes } if bytes >= LEAST_PIECE => {
                pieces.insert(place, piece);
                growth.meet(Object(place), python.type_of(piece), bytes / GRAIN);
            }
            Below::Piece { .. } => {}
        };
        users.look_at_frames(python, &mut |found| below(growth, counts, found));
        python.visit_tracked_while(&mut |object| {
            counts.objects += 1;
            if counts.objects >= limits.objects
                || counts.objects.is_multiple_of(STRETCH) && start.elapsed() >= limits.walk
            {
                counts.whole = false;
                return false;
            }
            let kind = python.type_of(object);
            let at = met.number(python, kind, |_| {
                let (shape, parent) = (shape_of(python, kind), users.parent(python, kind));
                Met { kind, shape, parent, count: 0 }
            });
            let Some(found) = met.kept(at) else { return true };
            found.count += 1;
            if found.parent != Parent::No {
                users.look(python, object, found.parent, &mut |one| below(growth, counts, one));
            }
            let length = match found.shape {
                Shape::List | Shape::Deque => memory::word(object.0, SIZE),
                Shape::Dict => memory::word(object.0, dict::USED),
                Shape::Set => memory::word(object.0, set::USED),
                Shape::Tuple | Shape::Other => return true,
            };
            if found.kind.0 != python.known.frozenset {
                growth.meet_soon(object, kind, length);
                counts.containers += 1;
            }
            true
        });
        growth.end(counts.whole);
        met.into_kept()
    }

    /// Adds up by name: classes that are made anew have another address and the same name.
    fn count(&mut self, python: &Python, met: &[Met], whole: bool) -> Vec<(String, u64, i64)> {
        let mut now: HashMap<String, u64> = HashMap::with_capacity(met.len());
        for one in met {
            *now.entry(python.type_name(one.kind)).or_default() += one.count;
        }
        if !whole {
            // Numbers of a part say nothing about a change.
            return Vec::new();
        }
        let mut types: Vec<(String, u64, i64)> = now
            .iter()
            .map(|(name, count)| {
                let before = self.types.get(name).copied().unwrap_or(0);
                (name.clone(), *count, count.cast_signed() - before.cast_signed())
            })
            .chain(
                self.types
                    .iter()
                    .filter(|(name, _)| !now.contains_key(*name))
                    .map(|(name, before)| (name.clone(), 0, -before.cast_signed())),
            )
            .collect();
        types.sort();
        self.types = now;
        types
    }
}

fn nanoseconds(start: Moment) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
