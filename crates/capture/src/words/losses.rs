//! What is missing of a capture, and why.

use crate::layout::{Header, Refusal};
use crate::walk::Skipped;

impl Refusal {
    /// The reason in words, to stand after "because".
    pub fn words(self) -> &'static str {
        match self {
            Self::NoSpace => "the disk was full",
            Self::Gone => "the capture file was deleted, moved or replaced while the program ran",
            Self::FileSizeLimit => "the limit on file sizes (ulimit -f) was reached",
            Self::NoMemory => "the system refused memory for the capture (ulimit -v)",
            Self::NoDescriptor => "the program had no file descriptor left (ulimit -n)",
            Self::Damaged => "the capture's header was overwritten while the program ran",
            Self::Other => "the capture file could not be extended in time",
            Self::Full => "the capture had reached the size that --keep allows",
        }
    }
}

/// What is missing of a capture: so many bytes of it are there.
pub(crate) fn losses(header: &Header, present: usize, skipped: &Skipped) -> Vec<String> {
    let mut losses = Vec::new();
    if header.lost > 0 {
        let because = header.refusal.map_or("for an unknown reason", |reason| reason.words());
        let joint = if header.refusal.is_some() { "because " } else { "" };
        losses.push(format!("{} could not be written, {joint}{because}", records(header.lost)));
    }
    let claimed = usize::try_from(header.units).unwrap_or(usize::MAX).saturating_mul(header.unit);
    if skipped.cut {
        losses.push(
            "the file ends in the middle of a segment: it was cut, and what stood behind is missing".into(),
        );
    } else if claimed > present && header.refusal.is_none() {
        losses.push(format!(
            "the file is {} KiB shorter than its header says: it was cut, or was just being extended",
            (claimed - present) / 1024
        ));
    }
    let mut skip = |count: u64, why: &str| {
        if count > 0 {
            losses.push(format!("{} skipped: {why}", records(count)));
        }
    };
    skip(skipped.unfinished, "not finished, as the thread that wrote was stopped or still at it");
    skip(skipped.unknown, "of a kind that only a newer nilometer knows; update to see them");
    skip(skipped.garbled, "the bytes make no sense, so the file was damaged");
    if skipped.broken > 0 {
        losses.push(format!("the rest of {} skipped: the file was damaged there", segments(skipped.broken)));
    }
    if skipped.foreign > 0 {
        losses.push(format!("{} skipped: the file was damaged there", segments(skipped.foreign)));
    }
    losses
}

fn records(count: u64) -> String {
    if count == 1 { "1 record".into() } else { format!("{count} records") }
}

fn segments(count: u64) -> String {
    if count == 1 { "1 segment".into() } else { format!("{count} segments") }
}
