//! Memory of GPUs: what a framework's allocator holds of it, what is in use, and whether that goes on growing.
//!
//! In: three probes of each framework. Out: a component of kind reserved, and a warning where what is in use grows. What must not
//! happen here: a change of the verdict, which is about the memory of the process; a warning of what rises and levels off.

use crate::probes::{Count, Probes, lowest};
use crate::report::{About, Component, Kind, Warning};
use crate::sizes::size;

/// What rises by less in the judged part is not worth a warning.
const LEAST: f64 = 1024.0 * 1024.0;
/// The pace of the last window is at least this part of the one before; a cache that fills rises by ever less.
const STEADY: f64 = 0.7;
/// A growth is told after so many cycles: kernels are chosen, and buffers made, in the first ones.
const LEAST_CYCLES: usize = 12;
/// An allocator that grows as it needs rounds each piece up; what it holds beyond that was in use before.
const MIN_RESERVED_BYTES: u64 = 64 * 1024 * 1024;

/// A framework with an allocator of its own for GPUs. Its probes are bytes, all GPUs of the process together.
struct Allocator {
    framework: &'static str,
    used: &'static str,
    peak: &'static str,
    reserved: &'static str,
    /// Whether it takes most of a device at its first allocation. Else it takes as it needs, and gives nothing back.
    takes_all: bool,
    change: &'static str,
}

const ALLOCATORS: [Allocator; 3] = [
    Allocator {
        framework: "TensorFlow",
        used: "gpu_memory",
        peak: "gpu_memory_peak",
        reserved: "gpu_memory_reserved",
        takes_all: true,
        change: "only where others need the GPU too: `tf.config.experimental.set_memory_growth(gpu, True)`, before the first operation",
    },
    Allocator {
        framework: "PyTorch",
        used: "torch_gpu_memory",
        peak: "torch_gpu_memory_peak",
        reserved: "torch_gpu_memory_reserved",
        takes_all: false,
        change: "only where others need the GPU too: `torch.cuda.empty_cache()` after the part that needed so much",
    },
    Allocator {
        framework: "JAX",
        used: "jax_gpu_memory",
        peak: "jax_gpu_memory_peak",
        reserved: "jax_gpu_memory_reserved",
        takes_all: true,
        change: "only where others need the GPU too: set `XLA_PYTHON_CLIENT_PREALLOCATE=false` before the start",
    },
];

/// What each framework's allocator holds on the GPUs beyond what is in use.
pub(crate) fn reserved(probes: &Probes) -> Vec<Component> {
    ALLOCATORS.iter().filter_map(|one| one.reserved(probes)).collect()
}

/// Where memory in use on GPUs grows with every cycle.
pub(crate) fn growing(probes: &Probes, unit: &str) -> Vec<Warning> {
    ALLOCATORS.iter().filter_map(|one| one.warning(probes, unit)).collect()
}

impl Allocator {
    fn reserved(&self, probes: &Probes) -> Option<Component> {
        let (used, peak) = (last(probes, self.used)?, last(probes, self.peak)?);
        let reserved = last(probes, self.reserved)?;
        let kept = reserved.saturating_sub(used);
        let worth_a_word = if self.takes_all { reserved > peak } else { kept >= MIN_RESERVED_BYTES };
        let flat = match self.growth(probes) {
            Some(0.0) => " That does not grow: no leak on the GPU.",
            _ => "",
        };
        let [reserved, peak, used] = [reserved, peak, used].map(|bytes| size(bytes as f64));
        let framework = self.framework;
        let sentence = if self.takes_all {
            format!(
                "GPU memory: {framework} took {reserved} when it began and had {peak} of it in use at most; tools that watch the GPU \
                 show what it took."
            )
        } else {
            format!(
                "GPU memory: {framework} holds {reserved}, of which {used} are in use now and {peak} were at most; tools that watch \
                 the GPU show what it holds."
            )
        };
        worth_a_word.then(|| Component {
            kind: Kind::Reserved,
            phase: None,
            bytes: i64::try_from(kept).unwrap_or(i64::MAX),
            bytes_per_cycle: None,
            sentence: format!("{sentence}{flat}"),
            made_at: None,
            change: Some(self.change.to_owned()),
            prove: None,
        })
    }

    /// Bytes per cycle by which memory in use goes on growing; 0 where it does not, none where that cannot be told yet.
    fn growth(&self, probes: &Probes) -> Option<f64> {
        if probes.series(self.used).len() < LEAST_CYCLES {
            return None;
        }
        let windows = probes.windows(self.used)?;
        let [first, middle, last] = windows.map(|window| lowest(window).value);
        if first >= last {
            return Some(0.0);
        }
        // Means, as not every cycle has a look of its own, and a late one makes a step.
        let [early, between, late] = windows.map(mean);
        let slows = late - between < STEADY * (between - early);
        if first >= middle || middle >= last || late - early < LEAST || slows {
            return None;
        }
        let cycles = windows[2].first()?.cycle.saturating_sub(windows[0].first()?.cycle);
        Some((late - early) / cycles.max(1) as f64)
    }

    fn warning(&self, probes: &Probes, unit: &str) -> Option<Warning> {
        let per_cycle = self.growth(probes).filter(|growth| *growth > 0.0)?;
        Some(Warning {
            name: "gpu-memory-grows".to_owned(),
            about: About::GpuMemory,
            sentence: format!(
                "{} has {} more of it in use with each {unit}, {} at the last",
                self.framework,
                size(per_cycle),
                size(probes.series(self.used).last()?.value as f64)
            ),
            called_at: None,
            change:
                "tensors on a GPU are small objects in Python: look for what keeps more of them with each cycle (losses, outputs, \
                 models), and keep `float(loss)` or a copy on the processor instead"
                    .to_owned(),
        })
    }
}

fn mean(window: &[Count]) -> f64 {
    window.iter().map(|count| count.value as f64).sum::<f64>() / window.len().max(1) as f64
}

fn last(probes: &Probes, name: &str) -> Option<u64> {
    probes.series(name).last().map(|Count { value, .. }| *value).filter(|value| *value > 0)
}
