//! The census as the Python module calls it: one per process.
//!
//! In: calls from the thread that holds the GIL. Out: growing containers with their paths; the full look on
//! request. What must not happen here: a look from a thread without the GIL, or at another interpreter of the
//! process.

use crate::clock::CpuInstant;
use std::collections::HashMap;
use std::time::Duration;

use crate::object::{Object, Python};
use crate::pack::Packs;
use crate::paths::{Analysed, Block, Collected, FullLook, Path, PathLimits, collect, find};
use crate::roots::main_script;
use crate::scan::{GrownContainer, MIN_GROWTH_BYTES, RawScan, ScanCounts, Scanner};
use crate::waiting_garbage::{WaitingGarbage, WaitingLimits, waiting_garbage};

/// Paths are searched for this many of the heaviest containers in one scan.
const MAX_PATHS_PER_SCAN: usize = 32;
/// After this many scans a container without a path is searched again.
const PATH_RETRY_SCANS: u32 = 8;

/// A growing container and its holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grown {
    /// The path that holds it. `None`: not searched yet, or no path leads there.
    pub path: Option<Path>,
    /// The container and its new elements.
    pub container: GrownContainer,
}

/// The result of one scan.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The cycle that the caller named.
    pub cycle: u64,
    /// Its numbers. The caller limits the cost: the next scan after a hundred times `cost_ns` costs one
    /// percent.
    pub counts: ScanCounts,
    /// Containers that grow, the heaviest first.
    pub grown: Vec<Grown>,
    /// More scans may show a growth: of these containers, or of heavy ones that grew in this scan alone.
    pub promising: bool,
    /// Types by name, the number of their objects now, and the change since the scan before.
    pub types: Vec<(String, u64, i64)>,
}

/// The path of a container, kept as long as the container goes on growing.
#[derive(Clone, Debug)]
struct KnownPath {
    first: u64,
    scans: u32,
    path: Option<Path>,
}

/// The census of this process.
#[derive(Debug)]
pub struct Census {
    python: Python,
    scanner: Scanner,
    paths: HashMap<u64, KnownPath>,
    /// Limits of a search for paths, which holds the GIL, too. In a scan its time counts from the start of
    /// the scan.
    pub path_limits: PathLimits,
}

impl Census {
    /// Finds this process's Python, to be read with what these packs know of frameworks.
    ///
    /// # Errors
    /// A sentence for people: why the heap cannot be read.
    pub fn find(packs: Packs) -> Result<Census, String> {
        Ok(Census {
            python: Python::find(packs)?,
            scanner: Scanner::default(),
            paths: HashMap::new(),
            path_limits: PathLimits { max_nodes: 1_000_000, max_pause_ns: 150_000_000 },
        })
    }

    /// The interpreter, for single questions.
    pub fn python(&self) -> &Python {
        &self.python
    }

    /// Installed packages that are the user's own all the same, as in `import`.
    pub fn own(&mut self, packages: Vec<String>) {
        self.python.own = packages;
    }

    /// Limits of a scan.
    pub fn limits(&mut self) -> &mut crate::scan::ScanLimits {
        &mut self.scanner.limits
    }

    /// Scans for growing containers. The GIL must be held; without it nothing is read, and the counts show
    /// that.
    pub fn scan(&mut self, cycle: u64) -> Scan {
        let start = CpuInstant::now();
        if !self.python.can_read_heap() {
            return Scan { cycle, ..Scan::default() };
        }
        main_script::remember(&mut self.python);
        let RawScan { mut counts, grown, promising, types } = self.scanner.scan(&self.python);
        self.search_paths(&grown, start.elapsed());
        let grown = grown
            .into_iter()
            .map(|container| Grown {
                path: self.paths.get(&container.object.address()).and_then(|known| known.path.clone()),
                container,
            })
            .collect();
        counts.cost_ns = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        Scan { cycle, counts, grown, promising, types }
    }

    /// Walks the whole heap for these samples. The GIL must be held; [`Collected::analyse`] needs none.
    pub fn collect(&self, blocks: &[Block], limits: &PathLimits) -> Option<Collected> {
        self.python.can_read_heap().then(|| collect(&self.python, blocks, limits))
    }

    /// Garbage that waits for the collector, by the marks that it was made after: objects of the caller's, the oldest first, from
    /// after the last full collection. Also the objects that were looked at. The GIL must be held.
    pub fn waiting_garbage(
        &self,
        marks: &[Object],
        limits: WaitingLimits,
    ) -> Option<(Vec<WaitingGarbage>, u64)> {
        self.python.can_read_heap().then(|| waiting_garbage(&self.python, marks, limits)).flatten()
    }

    /// Names the holders that the analysis found. The GIL must be held again.
    pub fn name(&self, analysed: Analysed, limits: &PathLimits) -> Option<FullLook> {
        self.python.can_read_heap().then(|| analysed.name(&self.python, limits))
    }

    /// Searches the paths of containers whose row of growth is new; a row keeps its path.
    fn search_paths(&mut self, grown: &[GrownContainer], spent: Duration) {
        self.paths.retain(|_, known| {
            known.scans += 1;
            known.scans <= 255
        });
        let mut targets = Vec::new();
        for one in grown
            .iter()
            .filter(|one| one.bytes >= MIN_GROWTH_BYTES || one.native || one.partial)
            .take(MAX_PATHS_PER_SCAN)
        {
            let fresh = self.paths.get(&one.object.address()).is_none_or(|known| {
                known.first != one.first || (known.path.is_none() && known.scans >= PATH_RETRY_SCANS)
            });
            if fresh {
                targets.push((one.object, one.first));
            }
        }
        if targets.is_empty() {
            return;
        }
        let objects: Vec<_> = targets.iter().map(|(object, _)| *object).collect();
        let spent = u64::try_from(spent.as_nanos()).unwrap_or(u64::MAX);
        let max_pause_ns = self.path_limits.max_pause_ns.saturating_sub(spent);
        let found = find(&self.python, &objects, &PathLimits { max_pause_ns, ..self.path_limits });
        for ((object, first), path) in targets.into_iter().zip(found) {
            self.paths.insert(object.address(), KnownPath { first, scans: 0, path });
        }
    }
}
