//! The life of a child that serves requests or tasks, as its own capture has it: live memory over what it served.
//!
//! In: a child's capture. Out: a short series after its start-up, and what of its growth may be garbage. What must not happen here: the
//! life of a process that does one piece of work and ends. It may keep all it likes until then; who serves keeps nothing by right.

use nilometer_capture::{Capture, CycleUnit, Record};
use nilometer_stats::growth;
use serde_json::{Value, json};

use crate::chosen::Chosen;
use crate::counted::count;
use crate::counted::garbage::at_exit::ExitCollection;
use crate::counted::garbage::series;
use crate::pack::Packs;
use crate::timeline::Timeline;

/// Points that are told of a life.
const MAX_POINTS: usize = 48;
/// Bytes of its command at most, from the end: there its own arguments are.
const MAX_COMMAND_BYTES: usize = 400;

/// What a process kept while it served.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lived {
    /// What it served.
    pub(crate) unit: CycleUnit,
    /// How many of them, while it was recorded.
    pub(crate) cycles: u64,
    /// When its recording began, and when it last served, in nanoseconds of `CLOCK_MONOTONIC`, which all processes share.
    pub(crate) recorded: (u64, u64),
    /// What it runs, as it says itself; empty where it did not.
    pub(crate) command: String,
    /// Their ordinals and live bytes after each, from the end of the start-up on.
    pub(crate) points: Vec<(u64, f64)>,
    /// Bytes per cycle of its growth that may be garbage.
    pub(crate) garbage: f64,
}

impl Lived {
    pub(super) fn of(capture: &Capture, packs: Packs) -> Option<Self> {
        let timeline = Timeline::of(capture, packs);
        let basis = timeline.basis();
        let cycles = Chosen::of(&timeline, capture, basis).cycles;
        let unit = cycles.unit.marks().filter(|unit| unit.is_served())?;
        let counted = count(&timeline, &cycles, basis, ExitCollection::of(&timeline, basis));
        let judged = cycles.points.get(counted.since..)?;
        let (x, y) = series(judged);
        let garbage = (growth(&x, &y)?.low - counted.rate?.low).max(0.0);
        let every = judged.len().div_ceil(MAX_POINTS).max(1);
        let mut points: Vec<(u64, f64)> =
            judged.iter().rev().step_by(every).map(|point| (point.ordinal, point.level)).collect();
        points.reverse();
        let from = capture.header.start_mono_ns;
        // What others add to the capture at the end of the run is no part of its life.
        let recorded = (from, from.saturating_add(judged.last()?.at_ns));
        let command = command(capture).unwrap_or_default();
        let from_end = command.ceil_char_boundary(command.len().saturating_sub(MAX_COMMAND_BYTES));
        let command = command.get(from_end..).unwrap_or_default().to_owned();
        Some(Self { unit, cycles: cycles.count, recorded, command, points, garbage })
    }

    pub(super) fn told(&self) -> Value {
        let points: Vec<Value> =
            self.points.iter().map(|(ordinal, level)| json!([ordinal, level.round()])).collect();
        json!({
            "unit": self.unit.number(), "cycles": self.cycles, "from": self.recorded.0, "to": self.recorded.1,
            "command": self.command, "garbage": self.garbage.round(), "points": points,
        })
    }

    pub(super) fn read(value: &Value) -> Option<Self> {
        let number = value.get("unit")?.as_u64()?;
        let unit = CycleUnit::from_number(number.try_into().ok()?).filter(|unit| unit.is_served())?;
        let pair = |pair: &Value| Some((pair.get(0)?.as_u64()?, pair.get(1)?.as_f64()?));
        let points: Vec<(u64, f64)> = value.get("points")?.as_array()?.iter().filter_map(pair).collect();
        let rises = points.is_sorted_by(|a, b| a.0 < b.0);
        let garbage = value.get("garbage")?.as_f64()?;
        let whole = |key: &str| value.get(key)?.as_u64();
        let (cycles, recorded) = (whole("cycles")?, (whole("from")?, whole("to")?));
        let command = value.get("command")?.as_str()?.to_owned();
        rises.then_some(Self { unit, cycles, recorded, command, points, garbage })
    }

    /// Seconds that it was recorded.
    pub(crate) fn seconds(&self) -> f64 {
        self.recorded.1.saturating_sub(self.recorded.0) as f64 / 1e9
    }

    /// Cycles from the first point to the last.
    pub(crate) fn span(&self) -> f64 {
        let ends = self.points.first().zip(self.points.last());
        ends.map_or(0.0, |(first, last)| last.0.saturating_sub(first.0) as f64)
    }

    /// Live memory at a cycle, between two points in part; nothing outside of them.
    pub(crate) fn level_at(&self, cycle: f64) -> Option<f64> {
        let next = self.points.partition_point(|point| (point.0 as f64) < cycle);
        let after = self.points.get(next)?;
        let Some(before) = next.checked_sub(1).and_then(|at| self.points.get(at)) else {
            return (after.0 as f64 <= cycle).then_some(after.1);
        };
        let part = (cycle - before.0 as f64) / (after.0 - before.0) as f64;
        Some(before.1 + part * (after.1 - before.1))
    }
}

/// What a process says that it runs.
fn command(capture: &Capture) -> Option<&str> {
    capture.records.iter().rev().find_map(|stamped| match &stamped.record {
        Record::Fact { key, value } if key == "command" => Some(value.as_str()),
        _ => None,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    fn life(points: &[(u64, f64)]) -> Lived {
        let command = "serve.py".to_owned();
        Lived {
            unit: CycleUnit::Served,
            cycles: 30,
            recorded: (5, 9),
            command,
            points: points.to_vec(),
            garbage: 7.0,
        }
    }

    #[test]
    fn it_is_read_as_it_was_told() {
        let told = life(&[(10, 5.0), (20, 9.0), (30, 4.0)]);
        assert_eq!(Lived::read(&told.told()), Some(told));
        assert_eq!(Lived::read(&life(&[(10, 5.0), (10, 9.0)]).told()), None, "no order");
        assert_eq!(Lived::read(&json!({"unit": CycleUnit::Epoch.number()})), None);
        assert_eq!(Lived::read(&Value::Null), None);
    }

    #[test]
    fn levels_between_points_are_in_part() {
        let life = life(&[(10, 100.0), (20, 300.0)]);
        let levels = [9.0, 10.0, 15.0, 20.0, 20.5].map(|cycle| life.level_at(cycle));
        assert_eq!(levels, [None, Some(100.0), Some(200.0), Some(300.0), None]);
        assert!((life.span() - 10.0).abs() < 1e-9);
    }
}
