//! Python's collector is switched off: objects that refer to each other in a circle are never freed.
//!
//! Evidence: at the end of no cycle it was on, it made no full collection, and nobody is known to hold memory that a line of
//! Python made. What belongs to a part of a framework is left alone.

use super::{Case, Explanation, Run};

pub(super) const CAUSE: &str = "gc-disabled";

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let finding = case.finding;
    // Arrays are Python's objects; other parts of libraries have ways of their own to keep things.
    let by_python = (finding.part.is_none() || case.is_part("NumPy array"))
        && finding.sites.iter().any(|site| site.line > 0);
    of_run(case.run).filter(|_| finding.holder.is_none() && by_python)
}

/// For a run with a growth that nothing explains.
pub(super) fn of_run(run: Run) -> Option<Explanation> {
    run.collector_off.then(|| Explanation {
        sentence: "Python's collector is switched off, and nobody is known to hold this memory: what refers to itself in a \
                   circle is never freed"
            .to_owned(),
        change: "take out `gc.disable()`; or call `gc.collect()` now and then, as in `on_epoch_end`".to_owned(),
        intervention: Some("gc".to_owned()),
        ..Explanation::default()
    })
}
