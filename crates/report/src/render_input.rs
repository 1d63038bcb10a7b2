//! What a format is made from, and the few ways in which several formats say the same thing.

use std::collections::BTreeMap;

use nilometer_diagnose::{CycleRow, Frame, Profile, ProfileStack, Report};

/// All that is known about a run. Formats take from it what they can carry.
#[derive(Clone, Copy, Debug)]
pub struct RenderInput<'a> {
    /// The report.
    pub report: &'a Report,
    /// The sampled memory; none where no recorder was at work.
    pub profile: Option<&'a Profile>,
    /// The ends of the cycles.
    pub cycles: &'a [CycleRow],
    /// Facts about the program and its surroundings: `allocator`, `recorder.allocator`, ...
    pub facts: &'a BTreeMap<String, String>,
    /// When the run began, in seconds since 1970.
    pub began: f64,
}

/// What a stack weighs in formats that have one number for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Bytes that live at the end.
    Live,
    /// Bytes that stay per cycle.
    Growth,
}

impl Weight {
    /// The weight of a stack; none below zero, which no flame graph can draw.
    pub(crate) fn of(self, stack: &ProfileStack) -> u64 {
        let bytes = match self {
            Self::Live => stack.live_bytes,
            Self::Growth => stack.bytes_per_cycle,
        };
        u64::try_from(bytes).unwrap_or(0)
    }
}

impl RenderInput<'_> {
    /// The stacks, if there is a profile.
    pub(crate) fn stacks(&self) -> impl Iterator<Item = &ProfileStack> {
        self.profile.iter().flat_map(|profile| &profile.stacks)
    }

    /// The frames of a stack, the outermost first.
    pub(crate) fn frames<'s>(
        &'s self,
        stack: &'s ProfileStack,
    ) -> impl DoubleEndedIterator<Item = &'s Frame> {
        let all = self.profile.map_or(&[][..], |profile| &profile.frames);
        stack.frames.iter().filter_map(|frame| all.get(*frame as usize))
    }

    /// When a bin of births ended, in seconds since the start; the time after the last bin ends with the run.
    pub(crate) fn bin_end(&self, bin: u32) -> f64 {
        let cycle = self.profile.and_then(|profile| profile.cycles.get(bin as usize));
        let row = cycle.and_then(|cycle| {
            let at = self.cycles.partition_point(|row| row.cycle < *cycle);
            self.cycles.get(at)
        });
        row.map_or(self.report.program.seconds, |row| row.seconds)
    }
}

/// A frame in one line: `Keep.on_epoch_end (train.py:30)`, `malloc [libc.so.6]`.
pub(crate) fn label(frame: &Frame) -> String {
    let function = if frame.function.is_empty() { "?" } else { &frame.function };
    match (frame.kind, frame.line) {
        ("cut", _) if frame.function.is_empty() => "frames missing".to_owned(),
        ("cut", _) => frame.function.clone(),
        ("native", _) | (_, 0) if frame.file.is_empty() => function.to_owned(),
        ("native", _) => format!("{function} [{}]", frame.file),
        (_, 0) => format!("{function} ({})", frame.file),
        (_, line) => format!("{function} ({}:{line})", frame.file),
    }
}
