//! The governor at work: counts samples and their cost, and lets it step now and then.
//!
//! In: each sample's class and time. Out: the means that threads draw with, and a count for the report about once a
//! second. What must not happen here: a wait: whoever finds another thread at it goes on.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::{Sampling, SamplingCount};

use crate::governor::{Governor, Window};
use crate::latch::Latch;
use crate::recorder::Recorder;
use crate::sampler::Means;
use crate::tls::CLASSES;

/// A step after so many samples, or so much time.
const STEP_SAMPLES: u32 = 64;
const STEP_NS: u64 = 100_000_000;
/// A longer time was spent waiting for the processor, the disk or a page, not at work.
const TRIM_NS: u64 = 100_000;
/// Between two counts for the report, in nanoseconds of CPU time.
const TELL_NS: u64 = 1_000_000_000;

pub(crate) struct Pace {
    pub(crate) means: Means,
    samples: [AtomicU32; CLASSES],
    since_step: AtomicU32,
    step_at_ns: AtomicU64,
    cost_ns: AtomicU64,
    steps: Latch<Steps>,
}

struct Steps {
    governor: Governor,
    cpu_ns: u64,
    cost_ns: u64,
    told_cpu_ns: u64,
}

impl Pace {
    pub(crate) fn new(sample: u32, overhead: f64) -> Self {
        Self {
            means: Means::new(sample),
            samples: [const { AtomicU32::new(0) }; CLASSES],
            since_step: AtomicU32::new(0),
            step_at_ns: AtomicU64::new(0),
            cost_ns: AtomicU64::new(0),
            steps: Latch::new(Steps {
                governor: Governor::new(sample, overhead),
                cpu_ns: cpu_ns(),
                cost_ns: 0,
                told_cpu_ns: 0,
            }),
        }
    }
}

/// A sample of this class, begun then, is done.
pub(crate) fn account(recorder: &Recorder, class: usize, begun_ns: u64) {
    let pace = &recorder.pace;
    let now = recorder.writer.now();
    pace.cost_ns.fetch_add(now.saturating_sub(begun_ns).min(TRIM_NS), Relaxed);
    if let Some(samples) = pace.samples.get(class) {
        samples.fetch_add(1, Relaxed);
    }
    let since = pace.since_step.fetch_add(1, Relaxed);
    if (since >= STEP_SAMPLES || now >= pace.step_at_ns.load(Relaxed))
        && let Some(mut steps) = pace.steps.try_hold()
    {
        pace.since_step.store(0, Relaxed);
        pace.step_at_ns.store(now + STEP_NS, Relaxed);
        step(recorder, &mut steps, now);
    }
}

fn step(recorder: &Recorder, steps: &mut Steps, now: u64) {
    let pace = &recorder.pace;
    let (cpu, cost) = (cpu_ns(), pace.cost_ns.load(Relaxed));
    let samples: [u32; CLASSES] =
        std::array::from_fn(|class| pace.samples.get(class).map_or(0, |samples| samples.swap(0, Relaxed)));
    let seconds = |to: u64, from: u64| to.saturating_sub(from) as f64 / 1e9;
    let window = Window {
        cpu: seconds(cpu, steps.cpu_ns),
        cost: seconds(cost, steps.cost_ns),
        samples: &samples,
        live: recorder.live(),
    };
    (steps.cpu_ns, steps.cost_ns) = (cpu, cost);
    crate::facts::tell_python(recorder);
    if steps.governor.step(&window) {
        for (mean, wanted) in pace.means.of_class.iter().zip(&steps.governor.means) {
            mean.store(*wanted as u32, Relaxed);
        }
        pace.means.generation.fetch_add(1, Relaxed);
    }
    if cpu >= steps.told_cpu_ns.saturating_add(TELL_NS) {
        steps.told_cpu_ns = cpu;
        tell(recorder, now, cpu);
    }
}

/// Says what the recorder did so far.
pub(crate) fn tell(recorder: &Recorder, now: u64, cpu: u64) {
    let counts = &recorder.counts;
    let means = || recorder.pace.means.of_class.iter().map(|mean| u64::from(mean.load(Relaxed)));
    let count = SamplingCount {
        samples: Some(counts.births.load(Relaxed)),
        deaths: Some(counts.deaths.load(Relaxed)),
        dropped: Some(counts.dropped.load(Relaxed)),
        cost_ns: Some(recorder.pace.cost_ns.load(Relaxed)),
        cpu_ns: Some(cpu),
        nodes: Some(recorder.stacks.count()),
        cut: Some(counts.cut.load(Relaxed)),
        finest_mean: means().min(),
        coarsest_mean: means().max(),
    };
    recorder.writer.append_sampling(now, &Sampling::Count(count));
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
