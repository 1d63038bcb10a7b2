//! What the Python module calls: one census per process.
//!
//! In: the thread that holds the GIL, now and then. Out: what grew, with its path; the whole heap on request. What must not
//! happen here: a look from a thread that does not hold the GIL, or for another interpreter of the same process.

use crate::clock::Moment;
use std::collections::HashMap;
use std::time::Duration;

use crate::object::Python;
use crate::paths::{Analysed, Block, Collected, Path, PathLimits, Whole, collect, find};
use crate::scan::{Found, GrownContainer, LIGHT, ScanCounts, Scanner};

/// Paths are looked for so many of the heaviest containers at a time.
const MOST_PATHS: usize = 32;
/// Scans until a container without a path is looked for again.
const PATIENCE: u32 = 8;

/// A container that grows, and who holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grown {
    /// Who holds it; `None`: not looked for, or no path leads there.
    pub path: Option<Path>,
    /// What it is and what is new in it.
    pub container: GrownContainer,
}

/// What one scan found.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The cycle that the caller named.
    pub cycle: u64,
    /// Its numbers. The caller paces: the next scan after a hundred times `cost_ns` costs one percent.
    pub counts: ScanCounts,
    /// Containers that grow, the heaviest first.
    pub grown: Vec<Grown>,
    /// More scans may tell of something: of these, or of what grew in this one alone and is heavy enough.
    pub promising: bool,
    /// Types by name, objects of each now, and the change since the scan before.
    pub types: Vec<(String, u64, i64)>,
}

/// A path that was found, for as long as its container goes on growing.
#[derive(Clone, Debug)]
struct Known {
    first: u64,
    scans: u32,
    path: Option<Path>,
}

/// The census of this process.
#[derive(Debug)]
pub struct Census {
    python: Python,
    scanner: Scanner,
    paths: HashMap<u64, Known>,
    /// How far a search for paths may go; it holds the GIL, too. In a scan the time counts from its beginning.
    pub path_limits: PathLimits,
}

impl Census {
    /// Finds this process's Python.
    ///
    /// # Errors
    /// A sentence for people: why the heap cannot be read.
    pub fn find() -> Result<Census, String> {
        Ok(Census {
            python: Python::find()?,
            scanner: Scanner::default(),
            paths: HashMap::new(),
            path_limits: PathLimits { max_nodes: 1_000_000, max_pause_ns: 150_000_000 },
        })
    }

    /// The interpreter, for single questions.
    pub fn python(&self) -> &Python {
        &self.python
    }

    /// How far a scan may go.
    pub fn limits(&mut self) -> &mut crate::scan::Limits {
        &mut self.scanner.limits
    }

    /// Looks for containers that grow. The GIL is held; without it nothing is looked at and the counts say so.
    pub fn scan(&mut self, cycle: u64) -> Scan {
        let start = Moment::now();
        if !self.python.may_look() {
            return Scan { cycle, ..Scan::default() };
        }
        let Found { mut counts, grown, promising, types } = self.scanner.scan(&self.python);
        self.search(&grown, start.elapsed());
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

    /// Walks the whole heap for these samples. The GIL is held; [`Collected::analyse`] needs none.
    pub fn collect(&self, blocks: &[Block], limits: &PathLimits) -> Option<Collected> {
        self.python.may_look().then(|| collect(&self.python, blocks, limits))
    }

    /// Names what the analysis found. The GIL is held again.
    pub fn name(&self, analysed: Analysed, limits: &PathLimits) -> Option<Whole> {
        self.python.may_look().then(|| analysed.name(&self.python, limits))
    }

    /// Looks for the paths of those whose row is new; the path of a row goes on with it.
    fn search(&mut self, grown: &[GrownContainer], spent: Duration) {
        self.paths.retain(|_, known| {
            known.scans += 1;
            known.scans <= 255
        });
        let mut targets = Vec::new();
        for one in grown.iter().filter(|one| one.bytes >= LIGHT || one.native || one.partial).take(MOST_PATHS)
        {
            let fresh = self.paths.get(&one.object.address()).is_none_or(|known| {
                known.first != one.first || (known.path.is_none() && known.scans >= PATIENCE)
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
            self.paths.insert(object.address(), Known { first, scans: 0, path });
        }
    }
}
