//! The scan: a walk over all tracked objects that reads types and lengths only.
//!
//! In: the heap, under the GIL. Out: growing containers with the bytes of their new elements, and types whose
//! number of objects changes. What must not happen here: an endless walk. Objects and time are bounded;
//! containers that were not reached are not forgotten.

mod varying_values;
mod weigh;

use std::collections::HashMap;
use std::time::Duration;

use crate::clock::CpuInstant;

use crate::growth_table::GrowthTable;
use crate::layout::{SIZE, dict, set};
use crate::memory;
use crate::object::{Object, Python, Type};
use crate::shape::{Shape, shape_of};
use crate::sizes::ByAddress;
use crate::type_info::TypeTable;
use crate::untracked::{Parent, Untracked, UntrackedFinder};

use varying_values::VaryingValues;
pub(crate) use weigh::MIN_GROWTH_BYTES;

/// Shorter bulk values are not followed; lengths of the others are counted in units.
const MIN_BULK_BYTES: u64 = 16 << 10;
const BULK_UNIT_BYTES: u64 = 64;

/// Limits of a scan.
#[derive(Clone, Copy, Debug)]
pub struct ScanLimits {
    /// Objects that may be visited.
    pub objects: u64,
    /// Time for the walk over all objects.
    pub walk: Duration,
    /// Time to weigh growing containers; those left over get no bytes.
    pub weigh: Duration,
    /// Containers that are reported.
    pub grown: usize,
}

impl Default for ScanLimits {
    fn default() -> ScanLimits {
        ScanLimits {
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
    /// Visited objects.
    pub objects: u64,
    /// Containers among them.
    pub containers: u64,
    /// Dicts that the collector does not track, found below user code.
    pub untracked: u64,
    /// Containers that grow, reported or not.
    pub growing: u64,
    /// Bytes of our own tables.
    pub table_bytes: u64,
    /// Nanoseconds of the walk over all objects, and of the whole scan; the GIL was held for both.
    pub walk_ns: u64,
    /// See `walk_ns`.
    pub cost_ns: u64,
    /// Every object was visited.
    pub complete: bool,
}

/// A container that grew in at least two of the last scans and did not shrink; or a bulk value that was told so and is shorter now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrownContainer {
    /// Valid until Python code can run again.
    pub object: Object,
    /// Its type, with module.
    pub kind: String,
    /// Elements now; for bulk values bytes, as in the next two fields.
    pub length: u64,
    /// Elements in the scan before: more than `length` for a value that became shorter.
    pub before: u64,
    /// Elements when the row of growth began.
    pub first: u64,
    /// Bytes that would be free without the elements that are new since the scan before.
    pub bytes: u64,
    /// A description of the new elements: `12 x ndarray (2000, 500) float64`.
    pub elements: String,
    /// Native memory of unknown size is below them.
    pub native: bool,
    /// Each of them is also held by something else.
    pub shared: bool,
    /// `bytes` is a lower bound.
    pub partial: bool,
    /// Scans since the row of growth began.
    pub scans: u32,
}

/// The result of one scan.
#[derive(Clone, Debug, Default)]
pub struct RawScan {
    /// Its numbers.
    pub counts: ScanCounts,
    /// Containers that grow, the heaviest first.
    pub grown: Vec<GrownContainer>,
    /// More scans may show a growth: of these containers, or of heavy ones that grew in this scan alone.
    pub promising: bool,
    /// Types by name, the number of their objects now, and the change since the scan before.
    pub types: Vec<(String, u64, i64)>,
}

/// A type during one scan.
#[derive(Clone, Copy, Debug)]
struct TypeCount {
    kind: Type,
    shape: Shape,
    parent: Parent,
    count: u64,
}

/// The state kept from scan to scan: numbers and names, no object.
#[derive(Debug, Default)]
pub struct Scanner {
    growth_table: GrowthTable,
    untracked: UntrackedFinder,
    /// Bulk values of the last scan by place; only the places stay valid.
    bulk_values: ByAddress<u64, Object>,
    varying_values: VaryingValues,
    types: HashMap<String, u64>,
    /// Limits of a scan.
    pub limits: ScanLimits,
}

impl Scanner {
    /// Scans the heap. The caller holds the GIL.
    pub fn scan(&mut self, python: &Python) -> RawScan {
        let start = CpuInstant::now();
        let mut counts = ScanCounts { complete: true, ..ScanCounts::default() };
        let met = self.walk(python, start, &mut counts);
        counts.walk_ns = nanoseconds(start);
        let types = self.count(python, &met, counts.complete);
        counts.growing = self.growth_table.confirmed.len() as u64;
        let began = CpuInstant::now();
        let grown = self.weigh(python, began);
        let promising = grown.iter().any(|one| one.length > one.before) || self.promises(python, began);
        counts.table_bytes = self.growth_table.bytes()
            + self.types.keys().map(|name| name.capacity() as u64 + 40).sum::<u64>();
        counts.cost_ns = nanoseconds(start);
        RawScan { counts, grown, promising, types }
    }

    fn walk(&mut self, python: &Python, start: CpuInstant, counts: &mut ScanCounts) -> Vec<TypeCount> {
        /// Objects between two clock reads.
        const SCANNED_PER_CLOCK_CHECK: u64 = 4096;
        let mut met: TypeTable<TypeCount> = TypeTable::new();
        let (limits, growth_table, untracked) = (self.limits, &mut self.growth_table, &mut self.untracked);
        let (bulk_values, varying_values) = (&mut self.bulk_values, &mut self.varying_values);
        bulk_values.clear();
        growth_table.begin();
        untracked.begin(python);
        let mut below = |growth_table: &mut GrowthTable, counts: &mut ScanCounts, found| match found {
            Untracked::Dict(dict) => {
                counts.untracked += 1;
                growth_table.observe(dict, Type(python.known.dict), memory::word(dict.0, dict::USED));
            }
            Untracked::Bulk { place, bulk, bytes } if bytes >= MIN_BULK_BYTES => {
                bulk_values.insert(place, bulk);
                let length = bytes / BULK_UNIT_BYTES;
                let may_grow = varying_values.may_grow(place, length);
                let kind = python.type_of(bulk);
                if let Some(before) = growth_table.observe_value(Object(place), kind, length, may_grow) {
                    varying_values.fell(place, before);
                }
            }
            Untracked::Bulk { .. } => {}
        };
        untracked.visit_frames(python, &mut |found| below(growth_table, counts, found));
        python.visit_tracked_while(&mut |object| {
            counts.objects += 1;
            if counts.objects >= limits.objects
                || counts.objects.is_multiple_of(SCANNED_PER_CLOCK_CHECK) && start.elapsed() >= limits.walk
            {
                counts.complete = false;
                return false;
            }
            let kind = python.type_of(object);
            let at = met.number(python, kind, |_| {
                let (shape, parent) = (shape_of(python, kind), untracked.parent(python, kind));
                TypeCount { kind, shape, parent, count: 0 }
            });
            let Some(found) = met.kept(at) else { return true };
            found.count += 1;
            if found.parent != Parent::No {
                untracked
                    .visit_below(python, object, found.parent, &mut |one| below(growth_table, counts, one));
            }
            let length = match found.shape {
                Shape::List | Shape::Deque => memory::word(object.0, SIZE),
                Shape::Dict => memory::word(object.0, dict::USED),
                Shape::Set => memory::word(object.0, set::USED),
                Shape::Tuple | Shape::Other => return true,
            };
            if found.kind.0 != python.known.frozenset {
                growth_table.observe_soon(object, kind, length);
                counts.containers += 1;
            }
            true
        });
        growth_table.end(counts.complete);
        met.into_kept()
    }

    /// Sums by name: a class that is made anew has another address and the same name.
    fn count(&mut self, python: &Python, met: &[TypeCount], complete: bool) -> Vec<(String, u64, i64)> {
        let mut now: HashMap<String, u64> = HashMap::with_capacity(met.len());
        for one in met {
            *now.entry(python.type_name(one.kind)).or_default() += one.count;
        }
        if !complete {
            // A partial count says nothing about a change.
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

fn nanoseconds(start: CpuInstant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
