//! Figures of matplotlib that are never closed: `pyplot` keeps each one that it made.
//!
//! Evidence: the path leads through `pyplot`'s table of figures, or through figures of a container while their number grows; or
//! nobody is known to hold it, matplotlib made it, and the number of open figures goes on growing.

use super::{Case, Explanation, Run};

pub(super) const CAUSE: &str = "figures-open";

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let made = case.carriers().any(|f| f.kind == "library" && f.file.starts_with("matplotlib/"));
    let held = case.path.as_ref().map_or(made, |path| {
        ["_pylab_helpers", "Gcf.figs"].iter().any(|step| path.full.text().contains(step))
            || case.elements().split([' ', ',']).any(|word| word == "Figure")
    });
    of_run(case.run).filter(|_| held)
}

/// For a run with a growth that nothing explains.
pub(super) fn of_run(run: Run) -> Option<Explanation> {
    run.grows("figures").then(|| Explanation {
        sentence: format!("every {} opens figures of matplotlib, and pyplot keeps each until it is closed", run.unit),
        change: "close each figure when it is saved: `fig.savefig(...); plt.close(fig)`; or draw on one: `fig.clf()`".to_owned(),
        ..Explanation::default()
    })
}
