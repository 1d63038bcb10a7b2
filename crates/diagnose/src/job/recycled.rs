//! The job's verdict where workers serve for a while and are replaced.
//!
//! In: pools of lives, with the claim of each. Out: a leak that names the workers, *undecided* in the place of *no leak*, or nothing. What
//! must not happen here: a number of its own. Replacing a worker gives back what it kept, so the machine is safe; the leak is there
//! all the same, and costs a start-up for each life.

use std::collections::BTreeMap;

use nilometer_stats::Interval;

use super::Family;
use super::pool::{Claim, Pool, Worker};
use crate::children::Life;
use crate::cycles::median;
use crate::report::{Bytes, Culprit, Finding, Lives, Report, Verdict};
use crate::sizes::{duration, size};

/// Workers that replace each other, and what is said of them.
pub(super) struct Recycled<'a> {
    pool: Pool,
    /// All of the kind that were seen from outside.
    seen: Vec<&'a Life>,
    rate: Interval,
    is_leak: bool,
}

/// Pools of which something is to be said: leaks first, then those that grow most.
pub(super) fn recycled<'a>(family: &Family<'a>) -> Vec<Recycled<'a>> {
    let mut kinds: BTreeMap<String, Vec<Worker>> = BTreeMap::new();
    for worker in family.outside.served() {
        kinds.entry(kind(family, &worker)).or_default().push(worker);
    }
    let said = |workers: Vec<Worker>| {
        let pids: Vec<u64> = workers.iter().map(|worker| worker.0).collect();
        let roles: Vec<String> = pids.iter().map(|pid| family.kind(*pid)).collect();
        let is_seen = |life: &&Life| pids.contains(&life.pid) || roles.contains(&family.kind(life.pid));
        let seen: Vec<&Life> = family.children.lives().iter().filter(is_seen).collect();
        let pool = Pool::of(workers)?;
        match pool.claim() {
            Claim::Kept(rate) => Some(Recycled { pool, seen, rate, is_leak: true }),
            Claim::Open(rate) => Some(Recycled { pool, seen, rate, is_leak: false }),
            Claim::Nothing => None,
        }
    };
    let mut out: Vec<Recycled> = kinds.into_values().filter_map(said).collect();
    out.sort_by(|a, b| b.is_leak.cmp(&a.is_leak).then(b.rate.estimate.total_cmp(&a.rate.estimate)));
    out
}

/// What a worker is for: by the name that its parent gave it, else by its command. Who lived shortly was perhaps seen by nobody.
fn kind(family: &Family, (pid, _, lived): &Worker) -> String {
    let command: String = lived.command.chars().filter(|letter| !letter.is_ascii_digit()).collect();
    let role = family.kind(*pid);
    let is_named = family.outside.has_role(*pid) && (command.is_empty() || !role.ends_with(&command));
    if is_named { role } else { command }
}

impl Recycled<'_> {
    /// Adds it to what is said about the job.
    pub(super) fn tell(&self, family: &Family, report: &mut Report) {
        if self.is_leak {
            if report.verdict != Verdict::Leak {
                report.reason = self.reason(report.verdict);
                report.verdict = Verdict::Leak;
                report.cycles.needed = None;
                report.job.culprit = self.culprit(family);
            }
            report.findings.extend(self.finding());
        } else if report.verdict == Verdict::NoLeak {
            report.reason = self.open_reason();
            report.verdict = Verdict::Undecided;
        }
        report.job.lives.get_or_insert_with(|| self.lives());
    }

    /// The life that says most: of those that leak the one that served most.
    fn best(&self) -> Option<&Worker> {
        let served = |(.., lived): &&Worker| lived.cycles;
        self.pool.leaking().max_by_key(served).or_else(|| self.pool.judged.iter().max_by_key(served))
    }

    /// Lives that were seen from outside or recorded.
    fn count(&self) -> u64 {
        let unseen = |(pid, ..): &&Worker| self.seen.iter().all(|life| life.pid != *pid);
        (self.seen.len() + self.pool.judged.iter().filter(unseen).count()) as u64
    }

    fn lives(&self) -> Lives {
        let length = |(pid, _, lived): &Worker| {
            let life = self.seen.iter().find(|life| life.pid == *pid);
            let seen = life.map_or(0, |life| life.last.0.saturating_sub(life.first_ns)) as f64 / 1e9;
            lived.seconds().max(seen)
        };
        let lengths = self.pool.judged.iter().map(length);
        let served = self.pool.judged.iter().map(|(.., lived)| lived.cycles as f64);
        let cycles = median(served.collect()).unwrap_or(0.0);
        Lives {
            count: self.count(),
            judged: self.pool.judged.len() as u64,
            unit: self.pool.unit.word(),
            seconds: median(lengths.collect()).unwrap_or(0.0),
            cycles: cycles as u64,
            bytes_per_cycle: Bytes::round(&self.rate),
            bytes_per_life: (self.rate.estimate * cycles).round() as i64,
        }
    }

    fn culprit(&self, family: &Family) -> Option<Culprit> {
        let (pid, ..) = self.best()?;
        Some(Culprit {
            pid: *pid,
            role: family.outside.role(*pid).to_owned(),
            bytes_per_cycle: None,
            bytes_per_minute: None,
            rate: self.per_cycle(),
            of: self.count(),
            growing: self.pool.leaking().count() as u64,
        })
    }

    /// `2.3 KiB per request`.
    fn per_cycle(&self) -> String {
        format!("{} per {}", size(self.rate.estimate), self.pool.unit.word())
    }

    fn finding(&self) -> Option<Finding> {
        let (pid, said, _) = self.best()?;
        Some(Finding {
            cause: "child-process".to_owned(),
            confidence: "likely",
            sentence: format!("workers keep {} until they are replaced{}", self.per_cycle(), said.words()),
            bytes_per_cycle: Bytes::default(),
            process: Some(*pid),
            ..Finding::default()
        })
    }

    /// Why the job leaks though the program itself does not.
    fn reason(&self, own: Verdict) -> String {
        let lives = self.lives();
        let words = self.best().map_or(String::new(), |(_, said, _)| said.words());
        let own = match own {
            Verdict::NoLeak => "the program itself does not leak",
            _ => "of the program itself it is undecided",
        };
        format!(
            "workers keep {} (95 %: {} to {}) until they are replaced: recycling hides it. Each lives {} and keeps {} by then. \
             Judged by {} of {} lives{words}; {own}",
            self.per_cycle(),
            size(self.rate.low),
            size(self.rate.high),
            duration(lives.seconds),
            size(lives.bytes_per_life as f64),
            lives.judged,
            lives.count,
        )
    }

    /// Why nobody can say that the job does not leak.
    fn open_reason(&self) -> String {
        let (lives, unit) = (self.lives(), self.pool.unit.word());
        format!(
            "workers are replaced after {}, before their growth can be judged. {} lives grew by {} (95 %: {} to {}): that may be garbage, \
             or the start of a life. In one run, let each worker serve {} times as many {unit}s",
            duration(lives.seconds),
            lives.judged,
            self.per_cycle(),
            size(self.rate.low),
            size(self.rate.high),
            crate::numbers::MAX_NEEDED_RATIO,
        )
    }
}
