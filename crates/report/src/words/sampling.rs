//! What the recorder saw and what it cost.

use nilometer_diagnose::{Sampling, duration, size};

/// One line.
pub(crate) fn sampled(sampling: &Sampling) -> String {
    let mut text = format!("{} samples", sampling.samples);
    if let Some(mean) = sampling.asked_mean {
        text += &format!(", one per {} asked for", size(mean as f64));
    }
    if let Some((finest, coarsest)) = sampling.finest_mean.zip(sampling.coarsest_mean) {
        text += &format!(" ({} to {} by size)", size(finest as f64), size(coarsest as f64));
    }
    text += &format!(", {} not kept", sampling.dropped);
    if let Some(cost) = sampling.cost {
        text += &format!("; {:.1} % of the CPU time", 100.0 * cost);
    }
    if let Some(credited) = sampling.credited {
        text += &format!("; {:.0} % of the live bytes have a line or a part", 100.0 * credited);
    }
    text
}

/// `fit: 3.2 s, 4 times`.
pub(crate) fn phase(name: &str, seconds: f64, times: u64) -> String {
    let times = match times {
        0 => String::new(),
        1 => ", once".to_owned(),
        times => format!(", {times} times"),
    };
    format!("{name}: {}{times}", duration(seconds))
}
