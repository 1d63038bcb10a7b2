//! The verdict on the job: the program together with the processes that it started and the devices that it uses.
//!
//! In: the verdict on the program's own process, and the lives of its children. Out: what they add to it; where a child goes on growing,
//! a leak and who makes it. What must not happen here: a word for a child that is gone or was replaced, as far as it was seen from outside
//! alone, since its memory is the machine's again (`pool` has what captures of replaced workers say); or a child's growth in the place of a leak of the program itself, which stays the subject.

pub(crate) mod device;
mod pool;
mod reason;
mod recycled;
mod rise;
mod served;

pub(crate) use reason::{Child, Culprit, Growing, Pace, Reason, Settled};

use recycled::recycled;
use rise::{Clock, Rise, rise};

use crate::children::{Children, Life, Said};
use crate::cycles::Cycles;
use crate::program::Outside;
use crate::report::{Bytes, Verdict};
use crate::timeline::{Basis, Timeline};
use crate::unit::Unit;

/// Share of the work, from the program's first cycle to its last, that a child must have lived through.
const MIN_LIFE_RATIO: f64 = 0.5;
/// A child that ended earlier than this share of the work before its end has given its memory back, ...
const MAX_GONE_RATIO: f64 = 0.1;
/// ... unless that is so little time that it ended with the work.
const MIN_GONE_NS: f64 = 3e9;

/// The processes, and the work they are measured by.
struct Family<'a> {
    outside: &'a Outside<'a>,
    children: &'a Children,
    clock: Clock,
    /// Begin and end of the work, in nanoseconds.
    work: (u64, u64),
    unit: Unit,
    cycle_seconds: Option<f64>,
}

/// A child that leaks, and why that is said.
struct Leaking<'a> {
    life: &'a Life,
    why: Why,
}

enum Why {
    Rise(Rise),
    Said(Box<Said>),
}

impl<'a> Family<'a> {
    fn of(outside: &'a Outside<'a>, children: &'a Children, timeline: &Timeline, cycles: &Cycles) -> Self {
        let mut clock: Vec<(u64, f64)> = Vec::new();
        if let Some(unit) = cycles.unit.marks() {
            for mark in timeline.marks.iter().filter(|mark| mark.unit == unit) {
                let at = (mark.at_ns, mark.ordinal as f64);
                if clock.last().is_none_or(|last| at.0 > last.0 && at.1 > last.1) {
                    clock.push(at);
                }
            }
        }
        let work = match (clock.first(), clock.last()) {
            (Some(first), Some(last)) if clock.len() > 2 => (first.0, last.0),
            _ => (0, outside.end_ns()),
        };
        let (unit, cycle_seconds) = (cycles.unit, cycles.seconds);
        Self { outside, children, clock: Clock(clock), work, unit, cycle_seconds }
    }

    /// Children that leak; the one that grows most first.
    fn leaking(&self) -> Vec<Leaking<'a>> {
        let why = |life: &Life| match self.outside.said(life.pid) {
            Some(said) if said.verdict == Verdict::Leak => Some(Why::Said(Box::new(said))),
            // Its own live bytes are better evidence than what is resident, unless it grows beyond them.
            Some(said) if said.verdict == Verdict::NoLeak => {
                rise(life, &self.clock).filter(|rise| said.misses(rise.per_minute.estimate)).map(Why::Rise)
            }
            _ => rise(life, &self.clock).map(Why::Rise),
        };
        let stays = self.children.lives().iter().filter(|life| self.lives_through_the_work(life));
        let mut out: Vec<Leaking> = stays
            .filter_map(|life| why(life).map(|why| Leaking { life, why }))
            .filter(|leaking| !self.is_replaced(leaking.life))
            .collect();
        out.sort_by_key(|leaking| std::cmp::Reverse(leaking.weight()));
        out
    }

    fn lives_through_the_work(&self, life: &Life) -> bool {
        let (begin, end) = self.work;
        let work = end.saturating_sub(begin) as f64;
        let lived = life.last.0.min(end).saturating_sub(life.first_ns.max(begin)) as f64;
        let gone = end.saturating_sub(life.last.0) as f64;
        lived >= MIN_LIFE_RATIO * work && gone <= (MAX_GONE_RATIO * work).max(MIN_GONE_NS)
    }

    /// Whether another process of its kind came after it or before it, in its place.
    fn is_replaced(&self, life: &Life) -> bool {
        self.alike(life).any(|other| other.first_ns > life.last.0 || other.last.0 < life.first_ns)
    }

    /// Processes of the same kind, the process itself among them.
    fn alike(&self, life: &Life) -> impl Iterator<Item = &'a Life> {
        let kind = self.kind(life.pid);
        self.children.lives().iter().filter(move |other| self.kind(other.pid) == kind)
    }

    /// Processes of the same kind whose own captures leave it open, and that were not seen to grow from outside.
    fn undecided(&self, life: &Life) -> u64 {
        let open = |other: &&Life| {
            self.outside.said(other.pid).is_some_and(|said| said.verdict == Verdict::Undecided)
                && rise(other, &self.clock).is_none()
        };
        self.alike(life).filter(open).count() as u64
    }

    /// What it is for, without the numbers that tell workers apart.
    fn kind(&self, pid: u64) -> String {
        self.outside.role(pid).chars().filter(|letter| !letter.is_ascii_digit()).collect()
    }

    fn child(&self, leaking: &Leaking) -> Child {
        let pace = match &leaking.why {
            Why::Rise(rise) => Pace::Seen { rise: *rise, unit: self.unit.word() },
            Why::Said(said) => Pace::Said(said.clone()),
        };
        Child { pid: leaking.life.pid, role: self.outside.role(leaking.life.pid).to_owned(), pace }
    }

    fn culprit(&self, leaking: &Leaking, growing: &[Leaking]) -> Culprit {
        let kind = self.kind(leaking.life.pid);
        Culprit {
            child: self.child(leaking),
            of: self.alike(leaking.life).count() as u64,
            growing: growing.iter().filter(|other| self.kind(other.life.pid) == kind).count() as u64,
        }
    }

    /// Why the job leaks though the program itself does not.
    fn reason(&self, leaking: &Leaking, culprit: &Culprit, own: Verdict) -> Reason {
        let undecided = self.undecided(leaking.life);
        let flat = (culprit.of - culprit.growing).saturating_sub(undecided);
        Reason::Child { child: self.child(leaking), growing: culprit.growing, flat, undecided, own }
    }

    fn growing(&self, leaking: &Leaking) -> Growing {
        let bytes_per_cycle = match &leaking.why {
            Why::Rise(rise) => {
                let minutes = self.cycle_seconds.unwrap_or(0.0) / 60.0;
                let per_window = || Bytes::round(&rise.per_minute).times(minutes);
                rise.per_cycle.map_or_else(per_window, |rate| Bytes::round(&rate))
            }
            Why::Said(_) => Bytes::default(),
        };
        Growing::Child { child: self.child(leaking), bytes_per_cycle }
    }
}

impl Leaking<'_> {
    /// Orders by growth; what its own capture says comes first.
    fn weight(&self) -> (bool, i64) {
        match &self.why {
            Why::Rise(rise) => (false, rise.per_minute.estimate as i64),
            Why::Said(_) => (true, 0),
        }
    }
}

/// What the children add to what is said about the program, whose own verdict this is. `is_short` if it had too few cycles for one.
pub(crate) fn settle(
    (own, is_short): (Verdict, bool),
    outside: &Outside,
    (timeline, basis): (&Timeline, Basis),
    cycles: &Cycles,
) -> Settled {
    let children = outside.children();
    let family = Family::of(outside, &children, timeline, cycles);
    let leaking = family.leaking();
    let mut settled = Settled {
        verdict: own,
        reason: None,
        culprit: None,
        findings: leaking.iter().map(|leaking| family.growing(leaking)).collect(),
        lives: None,
        processes: children.told(|pid| outside.role(pid).to_owned()),
    };
    if let Some(first) = leaking.first().filter(|_| own != Verdict::Leak) {
        let culprit = family.culprit(first, &leaking);
        settled.reason = Some(family.reason(first, &culprit, own));
        settled.verdict = Verdict::Leak;
        settled.culprit = Some(culprit);
    }
    let is_open = is_short && settled.verdict == Verdict::Undecided;
    if let Some(reason) = is_open.then(|| served::reason(&family, timeline, basis)).flatten() {
        settled.verdict = Verdict::NoLeak;
        settled.reason = Some(reason);
    }
    for pool in recycled(&family) {
        pool.settle(&family, &mut settled);
    }
    settled
}
