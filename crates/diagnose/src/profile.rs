//! The sampled memory as a profile: by stack what lives at the end, what grows per cycle and when it was born, for flame
//! graphs and other tools' formats.
//!
//! In: a capture, and names from the caller. Out: plain numbers with frames for people, at most [`MAX_STACKS`] stacks; what is
//! beyond is summed, not dropped. What must not happen here: a judgement. Growth of a stack is what came less what went,
//! whether or not a finding rests on it.

use std::collections::{BTreeMap, HashMap, HashSet};

use nilometer_capture::Capture;
use serde::Serialize;

use crate::counted::count;
use crate::counted::garbage::at_exit::ExitCollection;
use crate::cycles::Cycles;
use crate::lookup::{Lookup, Name};
use crate::phases::{Course, OWN_WORK};
use crate::program::Outside;
use crate::report::Frame;
use crate::sample::Sample;
use crate::sites::Setting;
use crate::sites::attribution::steps;
use crate::sites::bins::Bins;
use crate::sites::finding::frame;
use crate::sites::growing::{Look, SURVIVAL_CYCLES};
use crate::sites::id_map::ById;
use crate::sites::lifetimes::Moments;
use crate::sites::look;
use crate::sites::recording::{Recording, SampleSet, addresses};
use crate::timeline::Timeline;

/// Stacks that are told one by one.
const MAX_STACKS: usize = 10_000;
/// The function of the one frame under which all others are summed.
pub const OTHER_STACKS: &str = "other stacks";

/// Sampled memory by stack, by cycle of birth and by age. Bytes are estimates: each sample stands for its share.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Profile {
    /// Each frame once.
    pub frames: Vec<Frame>,
    /// The heaviest first.
    pub stacks: Vec<ProfileStack>,
    /// The bins that births are told in: the last cycle of each. A bin is one cycle, or several where there are many.
    pub cycles: Vec<u64>,
    /// For each bin of birth, by age in bins: bytes that were alive when the bin of that age ended. The later a bin, the
    /// fewer ages it has.
    pub survivors: Vec<Vec<i64>>,
}

/// What one stack made, in one phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ProfileStack {
    /// Indices of frames, the outermost first.
    pub frames: Vec<u32>,
    /// Bytes that live at the end.
    pub live_bytes: i64,
    /// Samples that say so.
    pub samples: u64,
    /// Bytes that came and stayed less those that went, per judged cycle; negative where more went.
    pub bytes_per_cycle: i64,
    /// Standard deviation that sampling gives the live bytes.
    pub deviation_bytes: i64,
    /// Standard deviation that sampling gives the bytes per cycle.
    pub deviation_per_cycle: i64,
    /// The live bytes by bin of birth; the bin behind the last one is the time after the last cycle.
    pub births: Vec<(u32, i64)>,
    /// The phase they were born in; none outside of all phases.
    pub phase: Option<String>,
}

/// The profile of a run; `None` where no recorder was at work.
pub fn profile(capture: &Capture, lookup: &mut dyn Lookup) -> Option<Profile> {
    let outside = Outside::of(capture);
    let timeline = Timeline::of(capture, lookup.packs());
    let bins = Bins::of(&timeline, &Cycles::of(&timeline, capture, timeline.basis()));
    let end_ns = timeline.last().map_or(timeline.end_ns, |r| r.at_ns);
    let recording = Recording::of(capture, outside.pid(), &Moments::of(capture, &bins, end_ns))?;
    of_heard(capture, recording.into_heard(), lookup)
}

/// The profile of samples that were read already.
pub(crate) fn of_heard(capture: &Capture, heard: SampleSet, lookup: &mut dyn Lookup) -> Option<Profile> {
    let outside = Outside::of(capture);
    let timeline = Timeline::of(capture, lookup.packs());
    let basis = timeline.basis();
    let cycles = Cycles::of(&timeline, capture, basis);
    let exit = ExitCollection::of(&timeline, basis);
    let counted = count(&timeline, &cycles, basis, exit);
    let setting = Setting {
        timeline: &timeline,
        cycles: &cycles,
        counted: &counted,
        exit,
        basis,
        pid: outside.pid(),
        folder: outside.folder(),
    };
    let bins = Bins::of(&timeline, &cycles);
    let look = look(&setting, &bins);
    let end_ns = timeline.last().map_or(timeline.end_ns, |r| r.at_ns);
    let mut recording = Recording::again(capture, setting.pid, heard)?;
    let stretch = Stretch::of(&look, end_ns);
    let course = Course::of(capture);
    let samples = std::mem::take(&mut recording.samples);
    let mut sums: HashMap<(u64, &str), Sum> = HashMap::new();
    for sample in samples.iter().filter(|s| stretch.matters(s)) {
        sums.entry((sample.stack, course.at(sample.born_ns))).or_default().add(sample, &stretch);
    }
    let (told, other) = heaviest(sums, &stretch);
    let stacks: HashSet<u64> = told.iter().map(|((stack, _), _)| *stack).collect();
    let mut stacks: Vec<u64> = stacks.into_iter().collect();
    stacks.sort_unstable();
    let wanted = addresses(stacks.iter().flat_map(|s| recording.frames(*s)));
    recording.locate(&wanted);
    let names: ById<Name> = lookup.names(&recording.modules, &wanted).into_iter().collect();
    let mut frames = Frames::default();
    let drawn: HashMap<u64, Vec<u32>> =
        stacks.into_iter().map(|s| (s, frames.of(&recording, &names, s, setting.folder))).collect();
    // Addresses differ where people see one line: stacks that read alike are one.
    let mut merged: BTreeMap<(&[u32], &str), Sum> = BTreeMap::new();
    for ((stack, phase), sum) in told {
        merged.entry((drawn.get(&stack).map_or(&[], Vec::as_slice), phase)).or_default().join(sum);
    }
    let mut stacks: Vec<ProfileStack> =
        merged.into_iter().map(|((drawn, phase), sum)| sum.stack(drawn.to_vec(), phase, &stretch)).collect();
    stacks.sort_by_key(|s| std::cmp::Reverse((s.live_bytes, s.bytes_per_cycle)));
    if let Some(sum) = other {
        stacks.push(sum.stack(vec![frames.other()], OWN_WORK, &stretch));
    }
    Some(Profile {
        frames: frames.all,
        stacks,
        cycles: (0..bins.len()).map(|b| bins.ordinal(b)).collect(),
        survivors: survivors(&samples, &bins),
    })
}

/// The judged stretch of the run.
struct Stretch<'a> {
    look: &'a Look<'a>,
    begins: u64,
    /// Survivors must be born until the one moment, and live at the other.
    ends: Option<(u64, u64)>,
    cycles: f64,
    /// The last reading while the program's own code ran.
    end_ns: u64,
}

impl<'a> Stretch<'a> {
    fn of(look: &'a Look<'a>, end_ns: u64) -> Self {
        let bins = look.bins;
        let last = bins.len().checked_sub(1);
        let judged = last.and_then(|l| l.checked_sub(SURVIVAL_CYCLES)).filter(|l| *l >= look.first);
        Self {
            look,
            begins: look.first.checked_sub(1).and_then(|b| bins.end(b)).unwrap_or(0),
            ends: judged.and_then(|b| bins.end(b)).zip(last.and_then(|b| bins.end(b))),
            cycles: judged.map_or(0.0, |last| (look.first..=last).map(|b| bins.width(b)).sum()),
            end_ns,
        }
    }

    fn matters(&self, sample: &Sample) -> bool {
        sample.lives_at(self.end_ns) || self.change(sample) != 0.0
    }

    /// What a sample adds to the stretch, or takes from it.
    fn change(&self, sample: &Sample) -> f64 {
        let Some((born_before, end)) = self.ends.filter(|_| self.look.is_old(sample)) else { return 0.0 };
        if sample.born_ns > self.begins {
            return if sample.born_ns <= born_before && sample.lives_at(end) { sample.weight } else { 0.0 };
        }
        let went = sample.died_ns > self.begins && sample.died_ns <= end;
        if went { -sample.weight } else { 0.0 }
    }
}

#[derive(Clone, Debug, Default)]
struct Sum {
    live: f64,
    samples: u64,
    change: f64,
    /// Variances of both.
    live_variance: f64,
    change_variance: f64,
    births: BTreeMap<usize, f64>,
}

impl Sum {
    fn add(&mut self, sample: &Sample, stretch: &Stretch) {
        let change = stretch.change(sample);
        self.change += change;
        self.change_variance += change * change * (1.0 - sample.chance);
        if sample.lives_at(stretch.end_ns) {
            self.live += sample.weight;
            self.live_variance += sample.weight * sample.weight * (1.0 - sample.chance);
            self.samples += 1;
            *self.births.entry(stretch.look.bins.at(sample.born_ns)).or_default() += sample.weight;
        }
    }

    fn join(&mut self, other: Self) {
        self.live += other.live;
        self.samples += other.samples;
        self.change += other.change;
        self.live_variance += other.live_variance;
        self.change_variance += other.change_variance;
        for (bin, bytes) in other.births {
            *self.births.entry(bin).or_default() += bytes;
        }
    }

    fn stack(self, frames: Vec<u32>, phase: &str, stretch: &Stretch) -> ProfileStack {
        let births = self.births.into_iter().map(|(bin, bytes)| (bin as u32, bytes.round() as i64));
        ProfileStack {
            frames,
            live_bytes: self.live.round() as i64,
            samples: self.samples,
            bytes_per_cycle: (self.change / stretch.cycles.max(1.0)).round() as i64,
            deviation_bytes: self.live_variance.sqrt().round() as i64,
            deviation_per_cycle: (self.change_variance.sqrt() / stretch.cycles.max(1.0)).round() as i64,
            births: births.collect(),
            phase: (phase != OWN_WORK).then(|| phase.to_owned()),
        }
    }
}

type Told<'a> = Vec<((u64, &'a str), Sum)>;

/// The heaviest stacks, and the sum of the others if there are any.
fn heaviest<'a>(sums: HashMap<(u64, &'a str), Sum>, stretch: &Stretch) -> (Told<'a>, Option<Sum>) {
    let mut told: Told = sums.into_iter().collect();
    let weight = |sum: &Sum| sum.live.max(sum.change.abs() / stretch.cycles.max(1.0));
    told.sort_by(|(a, left), (b, right)| weight(right).total_cmp(&weight(left)).then(a.cmp(b)));
    let rest = told.split_off(told.len().min(MAX_STACKS)).into_iter().map(|(_, sum)| sum);
    let other = rest.reduce(|mut all, sum| {
        all.join(sum);
        all
    });
    (told, other)
}

/// Frames, each once.
#[derive(Default)]
struct Frames {
    all: Vec<Frame>,
    known: HashMap<(&'static str, String, u32, String), u32>,
}

impl Frames {
    fn id(&mut self, frame: Frame) -> u32 {
        let key = (frame.kind, frame.file.clone(), frame.line, frame.function.clone());
        let all = &mut self.all;
        *self.known.entry(key).or_insert_with(|| {
            all.push(frame);
            (all.len() - 1) as u32
        })
    }

    /// A stack, the outermost frame first; one that tells nothing has a frame that says so.
    fn of(
        &mut self,
        recording: &Recording,
        names: &ById<Name>,
        stack: u64,
        folder: Option<&str>,
    ) -> Vec<u32> {
        let steps = steps(recording, names, stack);
        let out: Vec<u32> = steps.into_iter().rev().map(|step| self.id(frame(step, folder))).collect();
        if out.is_empty() { vec![self.id(missing(""))] } else { out }
    }

    fn other(&mut self) -> u32 {
        self.id(missing(OTHER_STACKS))
    }
}

fn missing(function: &str) -> Frame {
    Frame { kind: "cut", file: String::new(), line: 0, function: function.to_owned(), carries: false }
}

/// Bytes alive by bin of birth and age.
fn survivors(samples: &[Sample], bins: &Bins) -> Vec<Vec<i64>> {
    let mut out: Vec<Vec<f64>> = (0..bins.len()).map(|birth| vec![0.0; bins.len() - birth]).collect();
    for sample in samples {
        let birth = bins.at(sample.born_ns);
        // Noted at the last age it lived to see; the younger ages are summed below.
        let seen = bins.at(sample.died_ns).min(bins.len());
        let age = seen.checked_sub(birth + 1);
        if let Some(bytes) = age.and_then(|age| out.get_mut(birth)?.get_mut(age)) {
            *bytes += sample.weight;
        }
    }
    for row in &mut out {
        let mut sum = 0.0;
        for bytes in row.iter_mut().rev() {
            sum += *bytes;
            *bytes = sum;
        }
    }
    out.into_iter().map(|row| row.into_iter().map(|bytes| bytes.round() as i64).collect()).collect()
}
