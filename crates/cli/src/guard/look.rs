//! What counts against each limit of this process now, and the rule's answer for the limit that is nearest.
//!
//! In: files of `/proc` and of cgroups, at ends of epochs. Out: [`Judged`]. It runs inside the program, and takes from tens of
//! microseconds to a millisecond. What must not happen here: a file page that is counted (the kernel takes those back), or
//! a thread.

use std::time::{Duration, Instant};

use nilometer_host::cgroup::{Cgroup, Reading};
use nilometer_host::file::KernelFile;
use nilometer_host::memory::Machine;
use nilometer_host::pressure::full_avg10;
use nilometer_host::process::Process;
use nilometer_host::rlimit::Rlimits;
use nilometer_host::status::Status;
use nilometer_host::tree;

use super::rule::{EpochEnd, History, Judgement, margin};

/// All tasks waited for memory for more than this percentage of ten seconds: the kernel is about to kill.
const PRESSURE_PERCENT: f64 = 5.0;
/// Looks take at most one part in so many of the program's time: some ends of very short epochs are not looked at.
const PACE: u32 = 200;
/// Without a look for so long at most: another task may have interrupted the last one, which then seems dear.
const MAX_REST: Duration = Duration::from_secs(1);

/// Which limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What `--limit` says.
    Asked,
    /// The cgroup's.
    Cgroup,
    /// Memory and swap of the machine.
    Ram,
    /// `ulimit -v`.
    AddressSpace,
    /// `ulimit -d`.
    Data,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Asked, Self::Cgroup, Self::Ram, Self::AddressSpace, Self::Data];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Asked => "--limit",
            Self::Cgroup => "the cgroup's limit",
            Self::Ram => "the machine's memory",
            Self::AddressSpace => "ulimit -v",
            Self::Data => "ulimit -d",
        }
    }
}

/// The judgement that matters: one that acts, else that of the nearest limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The limit.
    pub kind: Kind,
    /// What the rule says of it.
    pub judgement: Judgement,
}

/// Looks at a process and all below it: at this one, from inside, or at a service from its supervisor.
#[derive(Debug)]
pub struct Watch {
    pid: u32,
    /// What limits a process alone is not asked of a service, whose workers grow and not itself.
    is_service: bool,
    asked: Option<u64>,
    process: Option<Process>,
    cgroup: Option<Cgroup>,
    machine: Machine,
    pressure: Option<KernelFile>,
    histories: [History; Kind::ALL.len()],
    hits: Option<u64>,
    /// The highest resident memory that was seen at the end before.
    peak: Option<u64>,
    last: Option<(Instant, Duration)>,
    buffer: Vec<u8>,
}

/// One look: of each limit, in the order of [`Kind::ALL`].
type Ends = [Option<EpochEnd>; Kind::ALL.len()];

impl Watch {
    /// Watches this process, with a limit of its own or none.
    pub fn new(asked: Option<u64>) -> Self {
        Self::of(std::process::id(), asked, false)
    }

    /// Watches a service from outside.
    pub(super) fn of_service(pid: u32, asked: Option<u64>) -> Self {
        Self::of(pid, asked, true)
    }

    fn of(pid: u32, asked: Option<u64>, is_service: bool) -> Self {
        let cgroup = Cgroup::of(pid);
        let own = cgroup.as_ref().and_then(Cgroup::pressure);
        Self {
            pid,
            is_service,
            asked,
            process: Process::open(pid),
            cgroup,
            machine: Machine::open(),
            pressure: own.or_else(|| KernelFile::open("/proc/pressure/memory".as_ref())),
            histories: Default::default(),
            hits: None,
            peak: None,
            last: None,
            buffer: Vec::new(),
        }
    }

    /// Looks at the end of an epoch; none where that was looked at just before, or nothing can be seen.
    pub fn epoch_ended(&mut self, reserve: u64) -> Option<Judged> {
        let began = Instant::now();
        if self.last.is_some_and(|(at, cost)| began - at < (cost * PACE).min(MAX_REST)) {
            return None;
        }
        let ends = self.look(true);
        self.last = Some((began, began.elapsed()));
        let judgements = self
            .histories
            .iter_mut()
            .zip(ends)
            .map(|(history, end)| end.map(|end| history.epoch_ended(end, reserve)));
        nearest(judgements)
    }

    /// A worker has ended, and its memory with it: what grew before is expected to grow on from there.
    pub(super) fn made_room(&mut self) {
        self.histories.iter_mut().for_each(History::made_room);
    }

    /// Looks at the same end again.
    pub fn again(&mut self, reserve: u64) -> Option<Judged> {
        let ends = self.look(false);
        let judgements = self
            .histories
            .iter_mut()
            .zip(ends)
            .map(|(history, end)| end.map(|end| history.again(end, reserve)));
        nearest(judgements)
    }

    /// Resident memory and its highest so far, of this process alone.
    pub fn resident(&mut self) -> Option<(u64, u64)> {
        let status = self.status()?;
        Some((resident(&status)?, status.rss_peak?))
    }

    fn status(&mut self) -> Option<Status> {
        self.process.as_ref()?.status(&mut self.buffer)
    }

    fn look(&mut self, is_end: bool) -> Ends {
        let Some(status) = self.status() else { return Ends::default() };
        let above = if is_end { self.above(&status) } else { None };
        let limits = if self.is_service { Rlimits::default() } else { Rlimits::of(0) };
        let tree = self.tree(&status);
        let group = self.cgroup.as_mut().map(|group| group.read(&mut self.buffer, true)).unwrap_or_default();
        let machine = self.machine.meminfo(&mut self.buffer);
        let ran_out = is_end && ran_out(self.hits, &group);
        if is_end {
            self.hits = group.limit_hits.or(self.hits);
        }
        let short = self.pressure.as_ref().and_then(|file| file.read(&mut self.buffer)).and_then(full_avg10);
        let pressed = short.is_some_and(|share| share > PRESSURE_PERCENT);
        let end = |used: u64, limit: u64| EpochEnd { used, limit, above, pressed, ..EpochEnd::default() };
        Kind::ALL.map(|kind| match kind {
            Kind::Asked => Some(end(tree?, self.asked?)),
            Kind::Cgroup => {
                // Pages of files, read once or often, are the kernel's to take back.
                let used = group.current?.saturating_sub(group.file.unwrap_or(0));
                Some(EpochEnd { ran_out, ..end(used, group.limit?) })
            }
            Kind::Ram => {
                let left = machine.available?.saturating_add(machine.swap_free.unwrap_or(0));
                Some(end(tree?, tree?.saturating_add(left)))
            }
            Kind::AddressSpace => Some(end(status.vm_size?, limits.address_space?)),
            Kind::Data => Some(end(status.vm_data?, limits.data?)),
        })
    }

    /// How far the peak since the end before stands above this end. The kernel keeps the highest peak only: one that lies
    /// below an earlier one is not seen, and needs no more room than that one had.
    fn above(&mut self, status: &Status) -> Option<u64> {
        let peak = status.rss_peak?;
        let rose = self.peak.is_some_and(|before| peak > before);
        self.peak = Some(peak);
        rose.then(|| resident(status).map(|now| peak.saturating_sub(now))).flatten()
    }

    /// Anonymous and shared memory of this process and all below it, swapped out or not.
    fn tree(&mut self, own: &Status) -> Option<u64> {
        let mut sum = counted(own)?;
        for pid in tree::descendants(self.pid, &mut self.buffer) {
            let status = Process::open(pid).and_then(|process| process.status(&mut self.buffer));
            sum += status.as_ref().and_then(counted).unwrap_or(0);
        }
        Some(sum)
    }
}

fn counted(status: &Status) -> Option<u64> {
    Some(status.rss_anon? + status.rss_shmem.unwrap_or(0) + status.swap.unwrap_or(0))
}

fn resident(status: &Status) -> Option<u64> {
    Some(status.rss_anon? + status.rss_file.unwrap_or(0) + status.rss_shmem.unwrap_or(0))
}

/// The group met its limit in this epoch, and hardly a page of a file is left to take back. While there are such pages the
/// kernel makes room with them: a group that has read enough meets its limit all the time.
fn ran_out(hits_before: Option<u64>, now: &Reading) -> bool {
    let is_hit = hits_before.is_some() && now.limit_hits > hits_before;
    is_hit && now.file.zip(now.limit).is_none_or(|(file, limit)| file < margin(limit))
}

fn nearest(judgements: impl Iterator<Item = Option<Judgement>>) -> Option<Judged> {
    let judged = Kind::ALL.into_iter().zip(judgements);
    judged
        .filter_map(|(kind, judgement)| Some(Judged { kind, judgement: judgement? }))
        .min_by_key(|judged| (!judged.judgement.acts, judged.judgement.room()))
}

#[cfg(test)]
#[path = "look_tests.rs"]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests;
