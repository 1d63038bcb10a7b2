//! The results that a notebook shows, which it keeps: `Out[12]`, and the name `_12`.
//!
//! Evidence: cells of a notebook ran, and the path leads to `Out` itself; or it means the names of `__main__`, among which `_12` is, and the
//! number of outputs that are kept goes on growing; or nobody is known to hold it, and the outputs' own bytes grow by half of it at least.

use nilometer_model::{HolderPath, Step};

use crate::numbers::HALF;

use super::{Case, Explanation};
use crate::report::Probe;

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let is_kept = match case.path.as_ref().map(|path| path.full) {
        None => carries(case),
        Some(path) if path.text() == "__main__[*]" => case.run.grows("notebook_outputs"),
        Some(path) if path.is_main() => is_output(path),
        Some(path) => {
            path.leads_through("displayhook") || path.text().contains("history_manager.output_hist")
        }
    };
    (is_kept && case.run.is_notebook).then(|| Explanation {
        sentence: "the notebook keeps what every run of the cell shows: Out[12] and the name _12 hold the result of In [12]"
            .to_owned(),
        change: "end the cell's last line with `;`, or give its value a name: it is shown no more, and not kept; `%reset -f out` lets go of \
                 what is kept, and `InteractiveShell.cache_size = 0` in the configuration keeps none"
            .to_owned(),
        ..Explanation::default()
    })
}

/// Whether the outputs that are kept explain the growth by their own weight.
fn carries(case: &Case) -> bool {
    let of_outputs = |probe: &&Probe| probe.name == "notebook_output_bytes";
    let bytes = case.run.probes.iter().find(of_outputs).and_then(|probe| probe.per_cycle).unwrap_or(0.0);
    let grows = case.finding.bytes_per_cycle.estimate as f64;
    grows > 0.0 && bytes >= HALF * grows
}

/// `Out[*]`, `_oh[*]`, `_12`, `__`: what of `__main__` is the notebook's own.
fn is_output(path: HolderPath) -> bool {
    let Some(Step::Attribute(name)) = path.steps().next() else { return false };
    let number = name.strip_prefix('_').unwrap_or("x");
    matches!(name, "Out" | "_oh" | "_" | "__" | "___")
        || !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use nilometer_model::HolderPath;

    use super::is_output;

    #[test]
    fn the_notebooks_own_names_are_told_from_the_users() {
        for own in [".Out[*]", "._oh[*]", "._12", "._", ".__", ".___", "._oh[3][*]"] {
            assert!(is_output(HolderPath::of(&format!("__main__{own}"))), "{own}");
        }
        for users in [".out[*]", "._x", "._1x", ".Output[*]", ".history[*]", "._i12x", ".____"] {
            assert!(!is_output(HolderPath::of(&format!("__main__{users}"))), "{users}");
        }
    }
}
