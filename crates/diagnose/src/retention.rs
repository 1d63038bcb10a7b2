//! Free memory that the C allocator keeps resident, where that is worth a change of the program's surroundings.
//!
//! In: the readings of the last cycles, and what the process said of its arenas. Out: a component with its change and how much
//! that gives. What must not happen here: a word about the slack that every program has, about memory that the program goes
//! on using, or about a leak: free memory is none.

use serde::Deserialize;

use crate::cycles::Cycles;
use crate::report::{Component, Kind, Program};
use crate::timeline::{Basis, Timeline};
use crate::told::words::parts::{self, Advice};

/// Kept for less than this nobody changes anything: healthy training was measured to keep up to 37 MiB.
const MIN_RETAINED_BYTES: f64 = 48.0 * 1024.0 * 1024.0;
/// And for less than this share of what is resident. It was at most an eighth there.
const MIN_RETAINED_RATIO: f64 = 0.2;
/// The last part of the cycles, one in so many, in all of which it must be kept.
const LATE_DIVISOR: usize = 3;
/// With fewer of them start-up may be all there is.
const MIN_LATE_CYCLES: usize = 3;
/// Fewer arenas are what `MALLOC_ARENA_MAX=2` leaves anyway, or nearly.
const MIN_ARENAS: u64 = 4;

/// How the free memory lies in arenas, as the process said; bytes.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Arenas {
    count: u64,
    main_free: u64,
    others_free: u64,
    largest_free: u64,
}

/// What is kept, if it is worth telling. `said` is the fact about arenas.
pub(crate) fn retained(
    timeline: &Timeline,
    cycles: &Cycles,
    basis: Basis,
    program: &Program,
    said: Option<&str>,
) -> Option<Component> {
    if basis != Basis::Live {
        return None;
    }
    let (kept, resident) = kept(timeline, cycles)?;
    if kept < MIN_RETAINED_BYTES || kept < MIN_RETAINED_RATIO * resident {
        return None;
    }
    let arenas: Option<Arenas> = said.and_then(|said| serde_json::from_str(said).ok());
    let advice = advice(kept, arenas);
    let (sentence, change) = parts::kept(advice, kept, resident);
    let proves = !matches!(advice, Advice::Between);
    // What came as `-m`, `-c` or on stdin is not typed again so easily.
    let script = program.argv.first().filter(|word| proves && !word.starts_with('-'));
    Some(Component {
        kind: Kind::Retained,
        phase: None,
        bytes: kept.round() as i64,
        bytes_per_cycle: None,
        sentence,
        made_at: None,
        change: Some(change),
        prove: script.map(|script| format!("MALLOC_ARENA_MAX=2 nilometer run {script}")),
    })
}

/// Free bytes that stayed resident through the last cycles and were not in use at once with the rest in any of them, and what
/// was resident at the end.
fn kept(timeline: &Timeline, cycles: &Cycles) -> Option<(f64, f64)> {
    let points = cycles.points.get(cycles.points.len() - cycles.points.len() / LATE_DIVISOR..)?;
    let first = points.first().filter(|_| points.len() >= MIN_LATE_CYCLES)?.reading;
    let last = points.last()?.reading;
    let mut lowest = f64::MAX;
    for point in points {
        let reading = timeline.readings.get(point.reading)?;
        // Dear readings leave the allocator out.
        let Some(free) = reading.counters.heap_free else { continue };
        // What was given back is free and not resident.
        let beside = reading.resident()? - reading.live?;
        lowest = lowest.min(free as f64).min(beside);
    }
    let readings = timeline.readings.get(first..=last)?;
    let in_use = readings.iter().filter_map(|reading| reading.counters.heap_in_use).max()?;
    let system = readings.iter().rev().find_map(|reading| reading.counters.heap_system)?;
    let resident = timeline.readings.get(last)?.resident()?;
    (lowest < f64::MAX).then_some((lowest.min(system.saturating_sub(in_use) as f64), resident))
}

/// What of it threads would share, where most of it lies in arenas of their own.
fn shared(kept: f64, arenas: Arenas) -> Option<f64> {
    let known = (arenas.main_free.saturating_add(arenas.others_free) as f64).max(1.0);
    // Of those that share an arena the largest one's is still kept. The arenas were asked at another moment.
    let gain = kept * (arenas.others_free.saturating_sub(arenas.largest_free) as f64 / known).min(1.0);
    (arenas.count >= MIN_ARENAS && gain >= 0.5 * kept).then_some(gain)
}

/// Where it lies.
fn advice(kept: f64, arenas: Option<Arenas>) -> Advice {
    let Some(arenas) = arenas else { return Advice::Unknown };
    shared(kept, arenas).map_or(Advice::Between, |gain| Advice::Shared { arenas: arenas.count, gain })
}
