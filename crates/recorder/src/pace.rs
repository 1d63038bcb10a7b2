//! The governor at work: counts samples and their cost, and lets it step now and then.
//!
//! In: each point's stratum, each sample's time, and trials. Out: the means that threads draw with, those of sizes that stay, and a
//! count for the report about once a second. What must not happen here: a wait: whoever finds another thread at it goes on.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::SamplingCount;

use crate::bounded_lock::BoundedLock;
use crate::governor::{Governor, Window};
use crate::recorder::Recorder;
use crate::reentry::ReentryGuard;
use crate::sampler::Means;
use crate::strata::STRATA;
use crate::suspects::Bounds;
use crate::watch::Survey;

/// A step after so many samples, trials, or so much time.
const STEP_SAMPLES: u32 = 64;
const STEP_TRIALS: u32 = 1024;
const STEP_NS: u64 = 100_000_000;
/// After so many trials, the clock is looked at.
const TRIALS_PER_CLOCK: u32 = 64;
/// What a trial costs, with its end.
const TRIAL_NS: u64 = 200;
/// A longer time was spent waiting for the processor, the disk or a page, not at work.
const TRIM_NS: u64 = 100_000;
/// Between two counts for the report, in nanoseconds of CPU time.
const TELL_NS: u64 = 1_000_000_000;

pub(crate) struct Pace {
    pub(crate) means: Means,
    samples: [AtomicU32; STRATA],
    /// Bytes asked for in each stratum, as points tell.
    asked: [AtomicU64; STRATA],
    of_strata: Spent,
    of_suspects: Spent,
    trials: AtomicU32,
    since_step: AtomicU32,
    step_at_ns: AtomicU64,
    steps: BoundedLock<Steps>,
    /// CPU time of the process before the recording began, without the recorder's own.
    began_cpu_ns: u64,
}

/// Samples so far, and the nanoseconds that they took.
#[derive(Default)]
struct Spent {
    count: AtomicU64,
    ns: AtomicU64,
}

struct Steps {
    governor: Governor,
    survey: Survey,
    cpu_ns: u64,
    strata_ns: u64,
    suspects: (u64, u64),
    told_cpu_ns: u64,
}

impl Pace {
    pub(crate) fn new(sample: u32, overhead: f64, began_cpu_ns: u64) -> Self {
        Self {
            began_cpu_ns,
            means: Means::new(sample),
            samples: [const { AtomicU32::new(0) }; STRATA],
            asked: [const { AtomicU64::new(0) }; STRATA],
            of_strata: Spent::default(),
            of_suspects: Spent::default(),
            trials: AtomicU32::new(0),
            since_step: AtomicU32::new(0),
            step_at_ns: AtomicU64::new(0),
            steps: BoundedLock::new(Steps {
                governor: Governor::new(sample, overhead),
                survey: Survey::new(),
                cpu_ns: cpu_ns(),
                strata_ns: 0,
                suspects: (0, 0),
                told_cpu_ns: began_cpu_ns,
            }),
        }
    }

    /// A point of this stratum was met, which stands for so many bytes.
    pub(crate) fn met(&self, stratum: usize, bytes: f64) {
        if let Some(asked) = self.asked.get(stratum) {
            asked.fetch_add(bytes as u64, Relaxed);
        }
    }
}

/// A sample, begun then, is done; of this stratum, or of a suspect.
pub(crate) fn account(recorder: &Recorder, stratum: Option<usize>, begun_ns: u64) {
    let pace = &recorder.pace;
    let now = recorder.writer.now();
    let spent = if stratum.is_none() { &pace.of_suspects } else { &pace.of_strata };
    spent.ns.fetch_add(now.saturating_sub(begun_ns).min(TRIM_NS), Relaxed);
    spent.count.fetch_add(1, Relaxed);
    if let Some(samples) = stratum.and_then(|stratum| pace.samples.get(stratum)) {
        samples.fetch_add(1, Relaxed);
    }
    let since = pace.since_step.fetch_add(1, Relaxed);
    if (since >= STEP_SAMPLES || now >= pace.step_at_ns.load(Relaxed))
        && let Some(mut steps) = pace.steps.try_hold()
    {
        step(recorder, &mut steps, now);
    }
}

/// A trial was taken; the recorder is not at work on this thread yet.
pub(crate) fn account_trial(recorder: &Recorder) {
    let pace = &recorder.pace;
    let count = pace.trials.fetch_add(1, Relaxed);
    if !count.is_multiple_of(TRIALS_PER_CLOCK) {
        return;
    }
    let Some(_quiet) = ReentryGuard::begin() else { return };
    let Some(mut steps) = pace.steps.try_hold() else { return };
    let now = recorder.writer.now();
    if count.is_multiple_of(STEP_TRIALS)
        || now >= pace.step_at_ns.load(Relaxed)
        || steps.survey.generations.is_due(now, recorder.writer.board().all_cycles())
    {
        step(recorder, &mut steps, now);
    }
}

fn step(recorder: &Recorder, steps: &mut Steps, now: u64) {
    let pace = &recorder.pace;
    pace.since_step.store(0, Relaxed);
    pace.step_at_ns.store(now + STEP_NS, Relaxed);
    let (cpu, strata_ns) = (cpu_ns(), pace.of_strata.ns.load(Relaxed));
    let suspects = (pace.of_suspects.count.load(Relaxed), pace.of_suspects.ns.load(Relaxed));
    let samples: [u32; STRATA] = std::array::from_fn(|stratum| {
        pace.samples.get(stratum).map_or(0, |samples| samples.swap(0, Relaxed))
    });
    let asked: [f64; STRATA] = std::array::from_fn(|stratum| {
        pace.asked.get(stratum).map_or(0.0, |asked| asked.swap(0, Relaxed) as f64)
    });
    let seconds = |to: u64, from: u64| to.saturating_sub(from) as f64 / 1e9;
    let passed = seconds(cpu, steps.cpu_ns);
    crate::facts::tell_python(recorder);
    recorder.watch.look(&mut steps.survey, recorder.writer.board(), now);
    let window = Window {
        cpu: passed,
        cost: seconds(strata_ns, steps.strata_ns),
        samples: &samples,
        asked: &asked,
        trials: recorder.watch.is_open(),
        importing: recorder.writer.board().is_importing(),
        suspects: steps.survey.suspects.strata(),
        suspects_cost: seconds(suspects.1, steps.suspects.1),
        suspects_count: suspects.0.saturating_sub(steps.suspects.0) as f64,
        live: recorder.live(),
    };
    (steps.cpu_ns, steps.strata_ns, steps.suspects) = (cpu, strata_ns, suspects);
    if steps.governor.step(&window) {
        for (mean, wanted) in pace.means.of_samples.iter().zip(&steps.governor.means) {
            mean.store(*wanted as u32, Relaxed);
        }
        for (points, wanted) in pace.means.of_points.iter().zip(&steps.governor.points) {
            points.store(*wanted as u32, Relaxed);
        }
        pace.means.generation.fetch_add(1, Relaxed);
    }
    if recorder.watch.is_open() {
        watch(recorder, steps, passed);
    }
    if cpu >= steps.told_cpu_ns.saturating_add(TELL_NS) {
        steps.told_cpu_ns = cpu;
        tell(recorder, now, cpu);
    }
}

/// Sets the means of the sizes of which something stays.
fn watch(recorder: &Recorder, steps: &mut Steps, passed: f64) {
    let (governor, suspects) = (&steps.governor, &mut steps.survey.suspects);
    recorder.watch.pass(suspects, passed);
    let crowd = Governor::crowd(recorder.live());
    let of = |means: &[f64; STRATA], stratum: usize| means.get(stratum).copied().unwrap_or(1.0);
    let bounds = |stratum| Bounds {
        finest: of(&governor.points, stratum) * crowd,
        coarsest: of(&governor.means, stratum),
    };
    let set = |place, mean| recorder.watch.set(place, mean);
    suspects.share(governor.for_suspects(), bounds, set);
}

/// Says what the recorder did so far.
pub(crate) fn tell(recorder: &Recorder, now: u64, cpu: u64) {
    let counts = &recorder.counts;
    let trials = u64::from(recorder.pace.trials.load(Relaxed)) * TRIAL_NS;
    let cost = |spent: &Spent| spent.ns.load(Relaxed);
    let cost = cost(&recorder.pace.of_strata) + cost(&recorder.pace.of_suspects) + trials;
    let means = || recorder.pace.means.of_samples.iter().map(|mean| u64::from(mean.load(Relaxed)));
    let mut count = SamplingCount {
        samples: Some(counts.births.load(Relaxed)),
        deaths: Some(counts.deaths.load(Relaxed)),
        cost_ns: Some(cost),
        cpu_ns: Some(cpu.saturating_sub(recorder.pace.began_cpu_ns)),
        nodes: Some(recorder.stacks.count()),
        cut: Some(counts.cut.load(Relaxed)),
        finest_mean: means().min(),
        coarsest_mean: means().max(),
        ..SamplingCount::default()
    };
    counts.lost.fill(&mut count);
    recorder.writer.append_count(now, &count);
}

/// CPU time of the process.
pub(crate) fn cpu_ns() -> u64 {
    clock()
}

#[expect(unsafe_code, reason = "the process's CPU clock is a C function")]
fn clock() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one `timespec`.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    time.tv_sec.cast_unsigned().wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec.cast_unsigned())
}

/// A number that no other process has.
#[cfg(not(test))]
#[expect(unsafe_code, reason = "random bytes of the kernel")]
pub(crate) fn seed() -> u64 {
    let mut bytes = [0_u8; 8];
    // SAFETY: fills the bytes; never waits, and what it leaves unfilled is zero.
    unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), libc::GRND_NONBLOCK) };
    u64::from_ne_bytes(bytes) ^ u64::from(std::process::id()) << 32 ^ clock()
}
