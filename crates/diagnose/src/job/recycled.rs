//! The job's verdict where workers serve for a while and are replaced.
//!
//! In: pools of lives, with the claim of each. Out: a leak that names the workers, *undecided* in the place of *no leak*, or nothing. What
//! must not happen here: a number of its own. Replacing a worker gives back what it kept, so the machine is safe; the leak is there
//! all the same, and costs a start-up for each life.

use std::collections::BTreeMap;

use nilometer_stats::Interval;

use super::pool::{Claim, Pool, Worker};
use super::{Child, Culprit, Family, Growing, Pace, Reason, Settled};
use crate::children::Life;
use crate::cycles::median;
use crate::numbers::MAX_NEEDED_RATIO;
use crate::report::{Bytes, Lives, Verdict};

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
    pub(super) fn settle(&self, family: &Family, settled: &mut Settled) {
        if self.is_leak {
            if settled.verdict != Verdict::Leak {
                settled.reason = Some(self.reason(settled.verdict));
                settled.verdict = Verdict::Leak;
                settled.culprit = self.culprit(family);
            }
            settled.findings.extend(self.growing());
        } else if settled.verdict == Verdict::NoLeak {
            let (rate, lives, times) = (self.rate, self.lives(), MAX_NEEDED_RATIO);
            settled.reason = Some(Reason::WorkersOpen { rate, lives, times });
            settled.verdict = Verdict::Undecided;
        }
        settled.lives.get_or_insert_with(|| self.lives());
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
        let pace = Pace::Shared { rate: self.rate, unit: self.pool.unit.word() };
        let child = Child { pid: *pid, role: family.outside.role(*pid).to_owned(), pace };
        Some(Culprit { child, of: self.count(), growing: self.pool.leaking().count() as u64 })
    }

    fn growing(&self) -> Option<Growing> {
        let (pid, said, _) = self.best()?;
        let (rate, unit) = (self.rate, self.pool.unit.word());
        Some(Growing::Worker { pid: *pid, said: said.clone(), rate, unit })
    }

    /// Why the job leaks though the program itself does not.
    fn reason(&self, own: Verdict) -> Reason {
        let said = self.best().map(|(_, said, _)| Box::new(said.clone()));
        Reason::Workers { rate: self.rate, lives: self.lives(), said, own }
    }
}
