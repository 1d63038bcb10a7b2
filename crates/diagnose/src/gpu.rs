//! Memory of GPUs: what TensorFlow took of it when it began, what it has in use, and whether that goes on growing.
//!
//! In: the probes `gpu_memory`, `gpu_memory_peak` and `gpu_memory_reserved`. Out: a component of kind reserved, and a warning where what
//! is in use grows. What must not happen here: a change of the verdict, which is about the memory of the process; a warning of what
//! rises and levels off.

use crate::probes::{Count, Probes, lowest};
use crate::report::{About, Component, Kind, Warning};
use crate::sizes::size;

/// In use, at most in use so far, and taken at the first allocation; bytes, all GPUs together.
const USED: &str = "gpu_memory";
const PEAK: &str = "gpu_memory_peak";
const RESERVED: &str = "gpu_memory_reserved";

/// What rises by less in the judged part is not worth a warning.
const LEAST: f64 = 1024.0 * 1024.0;
/// The pace of the last window is at least this part of the one before; a cache that fills rises by ever less.
const STEADY: f64 = 0.7;
/// A growth is told after so many cycles: kernels are chosen, and buffers made, in the first ones.
const LEAST_CYCLES: usize = 12;

/// What TensorFlow keeps for itself on the GPUs, where it took all at once.
pub(crate) fn reserved(probes: &Probes) -> Option<Component> {
    let (used, peak, reserved) = (last(probes, USED)?, last(probes, PEAK)?, last(probes, RESERVED)?);
    (reserved > peak).then(|| Component {
        kind: Kind::Reserved,
        phase: None,
        bytes: i64::try_from(reserved.saturating_sub(used)).unwrap_or(i64::MAX),
        bytes_per_cycle: None,
        sentence: format!(
            "GPU memory: TensorFlow took {} when it began and had {} of it in use at most; tools that watch the GPU show what it took",
            size(reserved as f64),
            size(peak as f64)
        ),
        made_at: None,
        change: Some(
            "only where others need the GPU too: `tf.config.experimental.set_memory_growth(gpu, True)`, before the first operation"
                .to_owned(),
        ),
        prove: None,
    })
}

/// Where memory in use on GPUs grows with every cycle.
pub(crate) fn growing(probes: &Probes, unit: &str) -> Option<Warning> {
    if probes.series(USED).len() < LEAST_CYCLES {
        return None;
    }
    let windows = probes.windows(USED)?;
    let [first, middle, last] = windows.map(|window| lowest(window).value);
    // Means, as not every cycle has a look of its own, and a late one makes a step.
    let [early, between, late] = windows.map(mean);
    let slows = late - between < STEADY * (between - early);
    if first >= middle || middle >= last || late - early < LEAST || slows {
        return None;
    }
    let cycles = windows[2].first()?.cycle.saturating_sub(windows[0].first()?.cycle);
    let per_cycle = (late - early) / cycles.max(1) as f64;
    Some(Warning {
        name: "gpu-memory-grows".to_owned(),
        about: About::GpuMemory,
        sentence: format!(
            "TensorFlow has {} more of it in use with each {unit}, {} at the last",
            size(per_cycle),
            size(probes.series(USED).last()?.value as f64)
        ),
        called_at: None,
        change: "tensors on a GPU are small objects in Python: look for what keeps more of them with each cycle (losses, outputs, \
                 models), and keep `float(loss)` or `output.numpy()` instead"
            .to_owned(),
    })
}

fn mean(window: &[Count]) -> f64 {
    window.iter().map(|count| count.value as f64).sum::<f64>() / window.len().max(1) as f64
}

fn last(probes: &Probes, name: &str) -> Option<u64> {
    probes.series(name).last().map(|Count { value, .. }| *value).filter(|value| *value > 0)
}
