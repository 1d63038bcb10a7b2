//! Memory of a device.

use nilometer_diagnose::{Device, size};

/// The head of a table in Markdown.
pub(crate) const TABLE: &str = "| device | framework | verdict | memory |\n|---|---|---|---|\n";

/// Why nothing is said of other processes.
pub(crate) fn others_unknown(why: &str) -> String {
    format!("what other processes hold of it is not known: {why}")
}

/// `3.1 GiB in use, 3.4 GiB at most, 78.0 GiB reserved of 79.2 GiB, full in 40 epochs`.
pub(crate) fn course(device: &Device) -> String {
    let [used, peak] = [device.in_use_bytes, device.peak_bytes].map(|bytes| size(bytes as f64));
    let mut out = format!("{used} in use, {peak} at most");
    if let Some(reserved) = device.reserved_bytes {
        out += &format!(", {} reserved", size(reserved as f64));
    }
    if let Some(limit) = device.limit_bytes.filter(|limit| device.reserved_bytes != Some(*limit)) {
        out += &format!(" of {}", size(limit as f64));
    }
    let growth = device.growth.as_ref();
    if let Some((left, unit)) = growth.and_then(|growth| Some((growth.cycles_left?, growth.unit))) {
        out += &format!(", full in {left} more {unit}{}", if left == 1 { "" } else { "s" });
    }
    out
}
