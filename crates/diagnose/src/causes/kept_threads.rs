//! Threads that are kept when they have ended, with what they were given and what they found; or that never end.
//!
//! Evidence: what hangs below the elements of a container belongs to threads by their class; or the container holds threads.

use super::{Case, Explanation};
use crate::held::level::words;

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let holder = case.finding.holder.as_ref()?;
    let of_each = holder.role.as_deref() == Some("thread") && !path.below.is_empty();
    let is_thread = |word: &str| matches!(word, "Thread" | "Timer" | "_DummyThread");
    if !of_each && !case.elements().split([' ', ',', '(', ')']).any(is_thread) {
        return None;
    }
    let list = words(path.full);
    let part = if of_each { path.below.trim_start_matches('.') } else { "variables" };
    Some(Explanation {
        sentence: format!(
            "{list} keeps the threads of every {}, also when they have ended, each with its {part}",
            case.unit
        ),
        change: format!(
            "drop those that have ended: `{list} = [thread for thread in {list} if thread.is_alive()]`; or keep what they found, \
             and one `ThreadPoolExecutor` for all"
        ),
        ..Explanation::default()
    })
}
