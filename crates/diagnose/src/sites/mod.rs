//! What samples of allocated memory say: who made what stays, when, and how much of it there is.
//!
//! In: the recorder's part of a capture, the cycles, the phases. Out: sites that grow, and where one-time memory was
//! made. What must not happen here: an accusation that the rules in [`growing`] do not carry.

pub(crate) mod attribution;
pub(crate) mod bins;
pub(crate) mod finding;
mod group;
pub(crate) mod growing;
pub(crate) mod id_map;
mod imports;
pub(crate) mod lifetimes;
pub(crate) mod lines_beside_holders;
mod lost;
mod made_at;
mod net_growth;
pub(crate) mod recording;
mod replacement;

use crate::numbers::AGAIN;
use std::collections::{BTreeMap, HashSet};

use nilometer_capture::Capture;
use nilometer_model::HolderPath;
use nilometer_stats::Sampled;

use crate::counted::Counted;
use crate::counted::garbage::at_exit::ExitCollection;
use crate::counted::garbage::{full_collections, garbage_at_most};
use crate::cycles::Cycles;
use crate::holders::{HolderEvidence, shown};
use crate::lookup::{Lookup, Name};
use crate::phases::{Course, IMPORT};
use crate::report::{Finding, HolderBytes, Sampling, Site};
use crate::timeline::{Basis, Timeline};

use crate::sample::Sample;
use attribution::{Attribution, Place, has_line, trail};
use bins::Bins;
pub(crate) use group::GrowingSite;
use group::grown;
use growing::Look;
use id_map::ById;
use lifetimes::Moments;
use net_growth::Net;
use recording::{Recording, SampleSet, addresses};

/// Start-up cycles that are left out where nothing says how long start-up took.
const START_UP: u64 = AGAIN as u64;

/// All samples that matter, by site.
pub(crate) struct Sites<'a> {
    pub(crate) recording: Recording<'a>,
    course: Course<'a>,
    names: ById<Name>,
    trails: ById<Attribution<'a>>,
    pub(crate) growing: Vec<GrowingSite<'a>>,
    /// What stays of each judged cycle in containers of the user's own which have no bound; empty where nobody asks.
    pub(crate) of_users: Vec<Sampled>,
    pub(crate) net: Net,
    /// What stays of all that was made, per judged cycle, and at most of what the last third of them made.
    pub(crate) kept: Option<(f64, f64)>,
    /// The last reading while the program's own code ran.
    end_ns: u64,
    folder: Option<&'a str>,
    pub(crate) held: &'a HolderEvidence<'a>,
}

/// What the judged cycles are.
pub(crate) struct Setting<'a> {
    pub(crate) timeline: &'a Timeline,
    pub(crate) cycles: &'a Cycles,
    pub(crate) counted: &'a Counted,
    pub(crate) exit: Option<ExitCollection>,
    pub(crate) basis: Basis,
    pub(crate) pid: Option<u64>,
    pub(crate) folder: Option<&'a str>,
}

/// The addresses whose functions' names say something: those of stacks that a finding may show, and of stacks without a line of
/// Python. An import's stacks all have one, and reading TensorFlow's symbols takes longer than all else in a report on it.
fn worth_a_name(recording: &Recording, stacks: impl Iterator<Item = u64>, told: &HashSet<u64>) -> Vec<u64> {
    let frames = stacks.map(|stack| (told.contains(&stack), recording.frames(stack)));
    let wanted = frames.filter(|(told, frames)| *told || !has_line(recording, frames));
    addresses(wanted.flat_map(|(_, frames)| frames))
}

/// What a site left behind.
#[derive(Default)]
struct Left {
    bytes: f64,
    variance: f64,
    heaviest: Sample,
}

impl Left {
    fn add(&mut self, sample: &Sample) {
        self.bytes += sample.weight;
        self.variance += sample.weight * sample.weight * (1.0 - sample.chance);
        if sample.weight > self.heaviest.weight {
            self.heaviest = *sample;
        }
    }
}

impl<'a> Sites<'a> {
    /// Bytes per cycle that sites make of numbers alone, and whether another site is sure to keep as much as `least`.
    pub(crate) fn numbers(&self, least: f64) -> (f64, bool) {
        let (numbers, others): (Vec<_>, Vec<_>) =
            self.growing.iter().partition(|site| self.is_of_numbers(site));
        let sure = |site: &&GrowingSite| site.growing.speaks && site.growing.rate.low > least;
        (numbers.iter().map(|site| site.growing.rate.estimate).sum(), others.iter().any(sure))
    }

    /// Whether a site makes little but numbers, or what lies in a container of numbers.
    pub(crate) fn is_of_numbers(&self, site: &GrowingSite) -> bool {
        site.is_of_numbers() || self.held.are_in_numbers(&site.survivors)
    }

    /// `None` where no recorder was at work.
    pub(crate) fn of(
        capture: &'a Capture,
        setting: &Setting<'a>,
        held: &'a HolderEvidence<'a>,
        lookup: &mut dyn Lookup,
    ) -> Option<Self> {
        let bins = Bins::of(setting.timeline, setting.cycles);
        let look = look(setting, &bins);
        let end_ns = setting.timeline.last().map_or(setting.timeline.end_ns, |r| r.at_ns);
        let mut recording = Recording::of(capture, setting.pid, &Moments::of(capture, &bins, end_ns))?;
        let samples = std::mem::take(&mut recording.samples);
        let (old, rest): (Vec<&Sample>, Vec<&Sample>) =
            samples.iter().filter(|s| look.is_old(s) || s.lives_at(end_ns)).partition(|s| look.is_old(s));
        let stacks: HashSet<u64> = old.iter().chain(&rest).map(|s| s.stack).collect();
        let mut stacks: Vec<u64> = stacks.into_iter().collect();
        stacks.sort_unstable();
        recording.locate(&addresses(stacks.iter().flat_map(|s| recording.frames(*s))));
        let told: HashSet<u64> =
            old.iter().chain(&rest).filter(|s| look.is_old(s) || held.met(s)).map(|s| s.stack).collect();
        let wanted = worth_a_name(&recording, stacks.iter().copied(), &told);
        let names: ById<Name> = lookup.names(&recording.modules, &wanted).into_iter().collect();
        let trails: ById<Attribution> =
            stacks.into_iter().map(|s| (s, trail(&recording, &names, lookup, s))).collect();
        let course = Course::of(capture);
        // A module is imported once: what that makes stays, and is no growth however long it took.
        let made: Vec<&Sample> = old.iter().copied().filter(|s| course.at(s.born_ns) != IMPORT).collect();
        let growing = grown(&made, &trails, &look, held);
        // Asked for by a run that is one cycle too short alone.
        let of_users = setting.counted.even_rise.and_then(|_| {
            let of_users: Vec<&Sample> = made.iter().copied().filter(|s| held.is_users(s)).collect();
            look.stays(&of_users)
        });
        let of_users = of_users.unwrap_or_default();
        let net = Net::of(&old, &look);
        let kept = look.course(&old, |at_ns| recording.coarsest_mean_since(at_ns));
        recording.samples = samples;
        let folder = setting.folder;
        Some(Self { recording, course, names, trails, growing, of_users, net, kept, end_ns, folder, held })
    }

    /// The samples that it rests on.
    pub(crate) fn into_heard(self) -> SampleSet {
        self.recording.into_heard()
    }

    /// What the report says about the sampling itself.
    pub(crate) fn summary(&self) -> Sampling {
        let (mut live, mut credited) = (0.0, 0.0);
        for sample in self.recording.samples.iter().filter(|s| s.lives_at(self.end_ns)) {
            live += sample.weight;
            let trail = self.trails.get(&sample.stack);
            if trail.is_some_and(|t| t.part.is_some() || matches!(t.place, Place::Line(_) | Place::Part(_))) {
                credited += sample.weight;
            }
        }
        let count = self.recording.count;
        let share = |part: Option<u64>, whole: Option<u64>| {
            part.zip(whole.filter(|w| *w > 0)).map(|(part, whole)| part as f64 / whole as f64)
        };
        Sampling {
            samples: self.recording.samples.len() as u64 + self.recording.passed,
            dropped: count.and_then(|c| c.dropped).unwrap_or(0),
            lost: count.map(lost::lost).unwrap_or_default(),
            live_bytes: live.round() as i64,
            credited: (live > 0.0).then(|| credited / live),
            asked_mean: self.recording.asked,
            finest_mean: count.and_then(|c| c.finest_mean),
            coarsest_mean: count.and_then(|c| c.coarsest_mean),
            cost: count.and_then(|c| share(c.cost_ns, c.cpu_ns)),
        }
    }

    /// Whether the memory of a stack is an array's of `NumPy`.
    pub(crate) fn is_array(&self, stack: u64) -> bool {
        self.trails.get(&stack).is_some_and(Attribution::is_array)
    }

    /// Who held how much at the last look at the heap, by the paths that the findings name where they name any.
    pub(crate) fn holders(&self, findings: &[Finding]) -> Vec<HolderBytes> {
        const MAX_HOLDERS: usize = 50;
        let told = findings.iter().filter_map(|f| f.holder.as_ref()).map(|h| HolderPath::of(&h.path));
        let told: Vec<HolderPath> = told.collect();
        let mut rows: Vec<HolderBytes> = Vec::new();
        for (holder, bytes) in self.held.live(&self.recording.samples, &told) {
            let (mut holder, live_bytes) = (shown(holder), bytes.round() as i64);
            let own = HolderPath::of(&holder.path);
            if let Some(path) = told.iter().find(|path| path.is_same_as(own)) {
                holder.path = path.to_string();
            }
            // One finds the elements under each of their keys where another look finds all of them as one.
            match rows.iter_mut().find(|row| row.holder.path == holder.path) {
                Some(row) => row.live_bytes = row.live_bytes.saturating_add(live_bytes),
                None => rows.push(HolderBytes { holder, live_bytes }),
            }
        }
        rows.sort_by_key(|row| std::cmp::Reverse(row.live_bytes));
        rows.truncate(MAX_HOLDERS);
        rows
    }

    /// The site that made most of what a phase left behind before a moment; none if several share it, or if too few
    /// samples say so.
    pub(crate) fn made_in(&self, phase: &str, before_ns: u64) -> Option<Site> {
        self.made_of(before_ns, |sample| self.course.at(sample.born_ns) == phase)
    }

    /// The same of what was made between two moments.
    pub(crate) fn made_between(&self, after_ns: u64, before_ns: u64) -> Option<Site> {
        self.made_of(before_ns, |sample| sample.born_ns > after_ns)
    }

    fn made_of(&self, before_ns: u64, is_of: impl Fn(&&Sample) -> bool) -> Option<Site> {
        const MIN_MADE_RATIO: f64 = 0.5;
        let mut by_site: BTreeMap<&Place, Left> = BTreeMap::new();
        let mut total = 0.0;
        let born = self.recording.samples.iter().take_while(|s| s.born_ns <= before_ns);
        let left = born.filter(|s| s.lives_at(before_ns.min(self.end_ns)) && s.lives_at(self.end_ns));
        for sample in left.filter(is_of) {
            total += sample.weight;
            if let Some(trail) = self.trails.get(&sample.stack) {
                by_site.entry(&trail.place).or_default().add(sample);
            }
        }
        let (place, left) = by_site.into_iter().max_by(|a, b| a.1.bytes.total_cmp(&b.1.bytes))?;
        if left.bytes < MIN_MADE_RATIO * total || left.variance.sqrt() > MIN_MADE_RATIO * left.bytes {
            return None;
        }
        let mut site = self.site(place, left.heaviest.stack, 0)?;
        if left.heaviest.weight < MIN_MADE_RATIO * left.bytes {
            site.inside = None; // one of many stacks
        }
        Some(site)
    }
}

/// The judged stretch, with what is known about garbage in it.
pub(crate) fn look<'b>(setting: &Setting, bins: &'b Bins) -> Look<'b> {
    let points = &setting.cycles.points;
    let since = setting.counted.since;
    let judged = setting.counted.rate.is_some();
    let first = points.get(since).filter(|_| judged).map_or(START_UP + 1, |p| p.ordinal);
    let mut first = bins.of_ordinal(first.max(START_UP + 1));
    if bins.width(first) > 1.0 {
        first += 1; // a bin of several cycles may hold some of the start-up
    }
    let before = since.checked_sub(1).and_then(|i| points.get(i));
    let judged = points.get(since..).unwrap_or_default();
    Look {
        bins,
        first,
        garbage: garbage_at_most(setting.timeline, before, judged, setting.exit),
        examined: if setting.basis == Basis::Live { full_collections(setting.timeline) } else { Vec::new() },
    }
}
