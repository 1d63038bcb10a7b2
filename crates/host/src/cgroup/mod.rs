//! The memory limit of a process's control group, and the use that counts against it.
//!
//! In: `/proc/<pid>/cgroup` and `/proc/<pid>/mountinfo`, to find the group's folders. Out: [`Reading`], on
//! each request. Any folder from the process's own up to the mount point may set a limit; the smallest one
//! binds. Limits may change while the process runs, so all are read each time. Both versions of cgroups are
//! supported; only one of them has the memory controller.

mod controller;
mod place;

use std::path::{Path, PathBuf};

use self::controller::{Controller, FileKind};
pub use self::place::{Place, Version};
use crate::file::{KernelFile, read_once};

/// The group's numbers, in bytes unless stated otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The smallest effective limit; `None` if there is none.
    pub limit: Option<u64>,
    /// Use counted against that limit.
    pub current: Option<u64>,
    /// Highest use so far.
    pub peak: Option<u64>,
    /// How often that limit was hit so far (a count).
    pub limit_hits: Option<u64>,
    /// Page cache inside the use, which the kernel can reclaim. Only a thorough reading has it.
    pub file: Option<u64>,
    /// Processes of the own group killed for lack of memory so far, by any limit (a count).
    pub oom_kills: Option<u64>,
}

/// A group and its parents, open for reading.
#[derive(Debug)]
pub struct Cgroup {
    controller: &'static Controller,
    /// From the process's own folder up to the mount point.
    levels: Vec<Level>,
    kills: Option<KernelFile>,
    /// The limit of parents outside this mount, as the own folder reports it (version 1 only).
    inherited: Option<u64>,
    binding: Option<Binding>,
}

#[derive(Debug)]
struct Level {
    folder: PathBuf,
    limits: Vec<KernelFile>,
}

/// The files of the folder whose limit binds.
#[derive(Debug)]
struct Binding {
    level: usize,
    current: Option<KernelFile>,
    peak: Option<KernelFile>,
    hits: Option<KernelFile>,
    stat: Option<KernelFile>,
}

impl Cgroup {
    /// The group of process `pid`, as seen by this process; `None` if no memory controller is visible.
    pub fn of(pid: u32) -> Option<Self> {
        let mut buffer = Vec::new();
        let membership = read_once(Path::new(&format!("/proc/{pid}/cgroup")), &mut buffer)?.to_vec();
        let mounts = read_once(Path::new("/proc/self/mountinfo"), &mut buffer)?;
        Self::open(&Place::find(&membership, mounts)?)
    }

    /// Opens the folders of a place.
    pub fn open(place: &Place) -> Option<Self> {
        let controller = match place.version {
            Version::One => &controller::V1,
            Version::Two => &controller::V2,
        };
        let mut levels = Vec::new();
        for folder in place.folders() {
            let limits: Vec<_> =
                controller.limits.iter().filter_map(|name| KernelFile::open(&folder.join(name))).collect();
            if !limits.is_empty() {
                levels.push(Level { folder, limits });
            }
        }
        // The root group has no limits (and in version 2 no memory files), but kills in its children count.
        let own = levels.first()?;
        let kills = KernelFile::open(&own.folder.join(controller.kills));
        Some(Self { controller, levels, kills, inherited: None, binding: None })
    }

    /// The own group's memory pressure file; version 1 has none.
    pub fn pressure(&self) -> Option<KernelFile> {
        KernelFile::open(&self.levels.first()?.folder.join("memory.pressure"))
    }

    /// The group's numbers now. A `thorough` reading includes `memory.stat`, for which the kernel may gather
    /// counters from every CPU (up to a millisecond): not for every tick.
    pub fn read(&mut self, buffer: &mut Vec<u8>, thorough: bool) -> Reading {
        let oom_kills =
            self.kills.as_ref().and_then(|file| file.read(buffer)).and_then(controller::parse_kills);
        if thorough {
            self.inherited = self.inherited_limit(buffer);
        }
        let Some((level, limit)) = self.smallest_limit(buffer) else {
            return Reading { oom_kills, ..Reading::default() };
        };
        self.bind(level);
        let mut reading = Reading { limit: Some(limit), oom_kills, ..Reading::default() };
        if let Some(binding) = &self.binding {
            let mut number = |file: &Option<KernelFile>, kind: FileKind| {
                file.as_ref()
                    .and_then(|file| file.read(buffer))
                    .and_then(|text| self.controller.parse(kind, text))
            };
            reading.current = number(&binding.current, FileKind::Bytes);
            reading.peak = number(&binding.peak, FileKind::Bytes);
            reading.limit_hits = number(&binding.hits, FileKind::Hits);
            reading.file = if thorough { number(&binding.stat, FileKind::File) } else { None };
        }
        reading
    }

    fn smallest_limit(&self, buffer: &mut Vec<u8>) -> Option<(usize, u64)> {
        let mut smallest: Option<(usize, u64)> = None;
        for (at, level) in self.levels.iter().enumerate() {
            for file in &level.limits {
                let limit = file.read(buffer).and_then(|text| self.controller.parse(FileKind::Limit, text));
                if let Some(limit) = limit
                    && smallest.is_none_or(|(_, least)| limit < least)
                {
                    smallest = Some((at, limit));
                }
            }
        }
        match (smallest, self.inherited) {
            // Use against a limit above the mount point cannot be read; the use in the topmost folder is its
            // lower bound.
            (found, Some(above)) if found.is_none_or(|(_, least)| above < least) => {
                Some((self.levels.len().saturating_sub(1), above))
            }
            (found, _) => found,
        }
    }

    fn inherited_limit(&self, buffer: &mut Vec<u8>) -> Option<u64> {
        let stat = self.controller.inherited?;
        let text = read_once(&self.levels.first()?.folder.join(self.controller.stat), buffer)?;
        crate::field::named(text, stat).filter(|limit| *limit < controller::UNLIMITED)
    }

    /// Opens the files of the folder whose limit binds, unless they are open already.
    fn bind(&mut self, level: usize) {
        if self.binding.as_ref().is_some_and(|binding| binding.level == level) {
            return;
        }
        self.binding = self.levels.get(level).map(|found| {
            let open = |name: &str| KernelFile::open(&found.folder.join(name));
            Binding {
                level,
                current: open(self.controller.current),
                peak: open(self.controller.peak),
                hits: open(self.controller.hits),
                stat: open(self.controller.stat),
            }
        });
    }
}
