//! Futures that are kept: each has the result of its job.
//!
//! Evidence: the container holds futures, or what hangs below its elements is the result of futures.

use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let of_each = path.below == "._result" || path.below == "._exception";
    let is_future = |word: &str| matches!(word, "Future" | "Task");
    if !of_each && !case.elements().split([' ', ',', '(', ')']).any(is_future) {
        return None;
    }
    let list = path.full.words();
    if case.elements().split([' ', ',']).any(|word| word == "Task") {
        return Some(Explanation {
            sentence: format!("{list} keeps the tasks of every {}, and each keeps its result", case.unit),
            change: format!(
                "let each task go when it is done: `task.add_done_callback({list}.discard)` with a set, or `async with \
                 asyncio.TaskGroup()` around what belongs together"
            ),
            ..Explanation::default()
        });
    }
    Some(Explanation {
        sentence: format!("{list} keeps the futures of every {}, and each keeps its result", case.unit),
        change: format!(
            "take the result and let the future go: `for future in as_completed(futures): ... future.result()` over the futures of \
             one batch, not over all of `{list}`"
        ),
        ..Explanation::default()
    })
}
