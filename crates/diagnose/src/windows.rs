//! Windows of time, which serve where nothing repeats.
//!
//! In: the timeline, and the phase at every moment. Out: one series of points. What is cut is the time in which the program does
//! something else than import: an import that takes long, from a cold disk, would be steady growth, and is made once.

use nilometer_capture::Moment;

use crate::cycles::{Cycles, Point, Unread, point};
use crate::phases::{Course, IMPORT};
use crate::timeline::{Basis, Timeline};
use crate::unit::Unit;

/// Windows that a run is cut into at most, and their shortest length.
const MAX_WINDOWS: u64 = 60;
const MIN_WINDOW_NS: u64 = SECOND_NS;
/// A run of so many seconds of work is cut into windows of half of that: eight windows decide, and the last of a short run is flat.
const SHORT_WORK_NS: std::ops::Range<u64> = 7 * SECOND_NS..30 * SECOND_NS;
const SECOND_NS: u64 = 1_000_000_000;
/// The program begins to work when no new module has come for so long; at the latest so long after its start, lest one that makes
/// modules for ever never begin.
const QUIET_NS: u64 = 3 * SECOND_NS;
const BEGUN_NS: u64 = 30 * SECOND_NS;

pub(crate) fn of(timeline: &Timeline, course: &Course<'_>, basis: Basis) -> Cycles {
    let work = Work::of(timeline, course);
    let end = work.until(timeline.end_ns);
    let shortest = if SHORT_WORK_NS.contains(&end) { MIN_WINDOW_NS / 2 } else { MIN_WINDOW_NS };
    let length = (end / SECOND_NS / MAX_WINDOWS * SECOND_NS).max(shortest);
    let mut points: Vec<Point> = Vec::new();
    for (i, r) in timeline.readings.iter().enumerate() {
        if !matches!(r.moment, Moment::Tick | Moment::Phase) || work.is_interrupted(r.at_ns) {
            continue;
        }
        let ordinal = work.until(r.at_ns) / length + 1;
        let Some(point) = point(i, r, ordinal, basis) else { continue };
        match points.last_mut() {
            // The lowest reading speaks for its window: what lies on top of it was there for a moment.
            Some(last) if last.ordinal == ordinal && last.level < point.level => {}
            Some(last) if last.ordinal == ordinal => *last = point,
            _ => points.push(point),
        }
    }
    let ends = (1..=end / length).map(|window| work.when(window * length));
    let window_ends: Vec<u64> = ends.collect();
    let seconds = length as f64 / SECOND_NS as f64;
    let windows = window_ends.len() as u64;
    let unread =
        Unread::at_the_end(timeline, &mut points, windows, basis, |r| r.moment == Moment::BeforeExit);
    Cycles {
        unit: Unit::Window { seconds },
        count: points.len() as u64,
        ends: points.clone(),
        points,
        seconds: Some(seconds),
        window_ends,
        how: String::new(),
        unread,
        is_by_mix: false,
    }
}

/// The time in which the program works.
struct Work {
    /// Begin and end of the stretches in which it imports, in the order of time.
    imports: Vec<(u64, u64)>,
}

impl Work {
    fn of(timeline: &Timeline, course: &Course<'_>) -> Self {
        let begun = begun(timeline);
        let frameworks = course.spans(timeline.end_ns).filter(|(_, _, phase)| *phase == IMPORT);
        let later =
            frameworks.filter(|(_, end, _)| *end > begun).map(|(begin, end, _)| (begin.max(begun), end));
        Self { imports: std::iter::once((0, begun)).chain(later).collect() }
    }

    fn is_interrupted(&self, at_ns: u64) -> bool {
        self.imports.iter().any(|(begin, end)| (*begin..*end).contains(&at_ns))
    }

    /// How long it has worked by then.
    fn until(&self, at_ns: u64) -> u64 {
        let import = |(begin, end): &(u64, u64)| at_ns.min(*end).saturating_sub(*begin);
        at_ns.saturating_sub(self.imports.iter().map(import).sum())
    }

    /// When it had worked for so long.
    fn when(&self, worked_ns: u64) -> u64 {
        let before = |at_ns: u64, (begin, end): &(u64, u64)| {
            if *begin < at_ns { at_ns + (end - begin) } else { at_ns }
        };
        self.imports.iter().fold(worked_ns, before)
    }
}

/// When the modules had come that a program begins with, whoever's they are. While it waits for something, nobody counts them.
fn begun(timeline: &Timeline) -> u64 {
    let known = timeline.readings.iter().filter_map(|r| Some((r.at_ns, r.counters.modules?)));
    let (mut begun, mut modules) = (0, 0);
    for (at_ns, now) in known {
        if at_ns > BEGUN_NS || at_ns > begun + QUIET_NS {
            break;
        }
        if now > modules {
            (begun, modules) = (at_ns, now);
        }
    }
    begun
}

#[cfg(test)]
mod tests {
    use super::Work;

    #[test]
    fn what_is_cut_ends_when_the_program_has_worked_so_long() {
        let work = Work { imports: vec![(0, 10), (15, 40), (41, 42)] };
        let cases = [(1, 11), (5, 15), (6, 41), (7, 43), (100, 136)];
        for (worked, at_ns) in cases {
            assert_eq!((work.when(worked), work.until(at_ns)), (at_ns, worked));
        }
        let interrupted: Vec<u64> =
            [0, 9, 10, 14, 15, 39, 40, 41, 42].into_iter().filter(|at| work.is_interrupted(*at)).collect();
        assert_eq!(interrupted, [0, 9, 15, 39, 41]);
        assert_eq!(Work { imports: Vec::new() }.when(7), 7);
    }
}
