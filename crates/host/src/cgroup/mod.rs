//! The memory limit of the control group a process lives in, and the use counted against it.
//!
//! In: `/proc/<pid>/cgroup` and `/proc/<pid>/mountinfo`, to find the group's folders. Out: [`Reading`], as often as
//! asked. A limit may stand in any folder from the process's own up to the mount point, and the smallest one binds; it
//! may also be changed while the process runs, so all of them are read each time. Both versions of cgroups are spoken;
//! the memory controller lives in one of them only.

mod dialect;
mod place;

use std::path::{Path, PathBuf};

use self::dialect::{Dialect, Kind};
pub use self::place::{Place, Version};
use crate::file::{Watched, read_once};

/// What the group says. Bytes unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The smallest limit that applies; `None` if there is none.
    pub limit: Option<u64>,
    /// Use counted against that limit.
    pub current: Option<u64>,
    /// Highest use so far.
    pub peak: Option<u64>,
    /// Times that limit was hit so far (a count).
    pub limit_hits: Option<u64>,
    /// Page cache inside the use, which the kernel can take back. Read only by a thorough look.
    pub file: Option<u64>,
    /// Processes of the own group killed for want of memory so far, by whatever limit (a count).
    pub oom_kills: Option<u64>,
}

/// A group and its parents, open for reading.
#[derive(Debug)]
pub struct Cgroup {
    dialect: &'static Dialect,
    /// From the process's own folder up to the mount point.
    levels: Vec<Level>,
    kills: Option<Watched>,
    /// The limits of parents that cannot be seen from here, as the own folder knows them (version 1 only).
    inherited: Option<u64>,
    binding: Option<Binding>,
}

#[derive(Debug)]
struct Level {
    folder: PathBuf,
    limits: Vec<Watched>,
}

/// The files of the folder whose limit binds.
#[derive(Debug)]
struct Binding {
    level: usize,
    current: Option<Watched>,
    peak: Option<Watched>,
    hits: Option<Watched>,
    stat: Option<Watched>,
}

impl Cgroup {
    /// The group of process `pid`, as this process can see it; `None` if no memory controller is to be seen.
    pub fn of(pid: u32) -> Option<Self> {
        let mut buffer = Vec::new();
        let membership = read_once(Path::new(&format!("/proc/{pid}/cgroup")), &mut buffer)?.to_vec();
        let mounts = read_once(Path::new("/proc/self/mountinfo"), &mut buffer)?;
        Self::open(&Place::find(&membership, mounts)?)
    }

    /// Opens the folders of a place.
    pub fn open(place: &Place) -> Option<Self> {
        let dialect = match place.version {
            Version::One => &dialect::ONE,
            Version::Two => &dialect::TWO,
        };
        let mut levels = Vec::new();
        for folder in place.folders() {
            let limits: Vec<_> =
                dialect.limits.iter().filter_map(|name| Watched::open(&folder.join(name))).collect();
            if !limits.is_empty() {
                levels.push(Level { folder, limits });
            }
        }
        // The root group has no limits (and in version 2 no memory files at all), but its children's kills count.
        let own = levels.first()?;
        let kills = Watched::open(&own.folder.join(dialect.kills));
        Some(Self { dialect, levels, kills, inherited: None, binding: None })
    }

    /// Where the own group says how short its memory is; version 1 does not.
    pub fn pressure(&self) -> Option<Watched> {
        Watched::open(&self.levels.first()?.folder.join("memory.pressure"))
    }

    /// What the group says now. A `thorough` look also reads `memory.stat`, for which the kernel may have to gather
    /// counters from every CPU (up to a millisecond): not for every tick.
    pub fn read(&mut self, buffer: &mut Vec<u8>, thorough: bool) -> Reading {
        let oom_kills = self.kills.as_ref().and_then(|file| file.read(buffer)).and_then(dialect::parse_kills);
        if thorough {
            self.inherited = self.inherited_limit(buffer);
        }
        let Some((level, limit)) = self.smallest_limit(buffer) else {
            return Reading { oom_kills, ..Reading::default() };
        };
        self.bind(level);
        let mut reading = Reading { limit: Some(limit), oom_kills, ..Reading::default() };
        if let Some(binding) = &self.binding {
            let mut number = |file: &Option<Watched>, kind: Kind| {
                file.as_ref()
                    .and_then(|file| file.read(buffer))
                    .and_then(|text| self.dialect.parse(kind, text))
            };
            reading.current = number(&binding.current, Kind::Bytes);
            reading.peak = number(&binding.peak, Kind::Bytes);
            reading.limit_hits = number(&binding.hits, Kind::Hits);
            reading.file = if thorough { number(&binding.stat, Kind::File) } else { None };
        }
        reading
    }

    fn smallest_limit(&self, buffer: &mut Vec<u8>) -> Option<(usize, u64)> {
        let mut smallest: Option<(usize, u64)> = None;
        for (at, level) in self.levels.iter().enumerate() {
            for file in &level.limits {
                let limit = file.read(buffer).and_then(|text| self.dialect.parse(Kind::Limit, text));
                if let Some(limit) = limit
                    && smallest.is_none_or(|(_, least)| limit < least)
                {
                    smallest = Some((at, limit));
                }
            }
        }
        match (smallest, self.inherited) {
            // Use against a limit above the mount point cannot be read; that of the topmost folder is its lower bound.
            (found, Some(above)) if found.is_none_or(|(_, least)| above < least) => {
                Some((self.levels.len().saturating_sub(1), above))
            }
            (found, _) => found,
        }
    }

    fn inherited_limit(&self, buffer: &mut Vec<u8>) -> Option<u64> {
        let stat = self.dialect.inherited?;
        let text = read_once(&self.levels.first()?.folder.join(self.dialect.stat), buffer)?;
        crate::field::named(text, stat).filter(|limit| *limit < dialect::UNLIMITED)
    }

    /// Opens the files of the folder whose limit binds, unless they are open.
    fn bind(&mut self, level: usize) {
        if self.binding.as_ref().is_some_and(|binding| binding.level == level) {
            return;
        }
        self.binding = self.levels.get(level).map(|found| {
            let open = |name: &str| Watched::open(&found.folder.join(name));
            Binding {
                level,
                current: open(self.dialect.current),
                peak: open(self.dialect.peak),
                hits: open(self.dialect.hits),
                stat: open(self.dialect.stat),
            }
        });
    }
}
