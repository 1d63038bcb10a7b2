//! Shared memory that stays mapped: a block per batch that nobody closes.
//!
//! Evidence: the holder holds such blocks; or resident shared memory grew over the judged cycles, by the kernel's count, and nothing else explains
//! the growth. No allocator hands it out, so that no sample tells of it.

use super::{Case, Explanation, Run};
use crate::cycles::Point;
use crate::timeline::Timeline;

pub(super) const CAUSE: &str = "shared-memory-kept";
const CHANGE: &str = "call `close()` on each block (`multiprocessing.shared_memory`, `mmap`) once it was read, and `unlink()` where it was made; \
                      or write into one block again and again";

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    case.path.as_ref()?;
    let is_block = |word: &str| matches!(word, "SharedMemory" | "mmap");
    let holds = case.elements().split([' ', ',', '(', ')']).any(is_block) && case.run.shared > 0.0;
    holds.then(|| Explanation {
        sentence: format!("{} keeps the shared memory of every {} mapped", case.called(), case.unit),
        change: CHANGE.to_owned(),
        ..Explanation::default()
    })
}

/// What shared memory grew by over these points, in bytes per cycle.
pub(crate) fn growth(timeline: &Timeline, points: &[Point]) -> f64 {
    let shared =
        |point: &Point| timeline.readings.get(point.reading).map_or(0, |reading| reading.shared) as f64;
    let Some((first, last)) = points.first().zip(points.last()) else { return 0.0 };
    (shared(last) - shared(first)) / last.ordinal.saturating_sub(first.ordinal).max(1) as f64
}

/// For a run with a growth that nothing else explains, and the bytes of it.
pub(super) fn of_run(run: Run, left: f64) -> Option<(Explanation, f64)> {
    (2.0 * run.shared >= left).then(|| {
        let said = Explanation {
            sentence: format!("every {} maps shared memory that stays mapped", run.unit),
            change: CHANGE.to_owned(),
            ..Explanation::default()
        };
        (said, run.shared.min(left))
    })
}
