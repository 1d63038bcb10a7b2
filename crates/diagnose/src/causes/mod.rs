//! From a growth to its cause: what a person who has seen it a hundred times would say, and the change they would make.
//!
//! In: a finding with its sites and its holder, and what else the run tells. Out: the finding with the cause's name, its
//! sentence, the change, the command that proves it. One file per cause; they are asked by their ranks, the
//! most telling first; frameworks add theirs. What must not happen here: a cause that its evidence does not carry. A growth that none explains
//! stays "growth-at-site" or "container-grows", with its sites and holders.

mod added;
mod alike;
mod array_grows;
mod building;
mod callbacks_added_again;
mod default_argument;
mod exit_functions;
mod faults;
mod figures_open;
mod gc_disabled;
mod kept_below_elements;
mod kept_by_callback;
mod kept_by_class;
mod kept_by_closure;
mod kept_by_dataset;
mod kept_by_generator;
mod kept_by_module;
mod kept_by_object;
mod kept_exceptions;
mod kept_futures;
mod kept_in_loop;
mod kept_models;
mod kept_threads;
mod logging_handlers;
mod lru_cache;
mod metric_children;
mod native_library;
mod notebook_output;
mod queue_backlog;
mod replay;
mod service_answers;
mod shared_memory;
mod view_keeps_array;
mod writers_open;

use nilometer_model::HolderPath;

use crate::pack::{Case, Cause, Explanation, Packs, Path, Run};
use crate::report::{Finding, Holder, Site};

pub(crate) use added::add;
pub use alike::gather_into_one;
pub(crate) use alike::merge;
pub(crate) use building::goes_on_building;
pub(crate) use kept_models::who_keeps;
pub(crate) use shared_memory::growth as shared_growth;

/// The causes of no framework, and the rank of each among all: what is held is more telling than who holds it. A list of tapes is about
/// tapes. Ranks leave room for what frameworks add.
const CORE: [Cause; 30] = [
    Cause { rank: 180, name: "notebook-keeps-output", explain: notebook_output::explain },
    Cause { rank: 190, name: "figures-open", explain: figures_open::explain },
    Cause { rank: 210, name: "exit-functions-added", explain: exit_functions::explain },
    Cause { rank: 220, name: "native-library", explain: native_library::explain },
    Cause { rank: 230, name: "native-library", explain: native_library::of_own_memory },
    Cause { rank: 250, name: "exceptions-kept", explain: kept_exceptions::explain },
    Cause { rank: 260, name: "lru-cache", explain: lru_cache::explain },
    Cause { rank: 270, name: "metric-children", explain: metric_children::explain },
    Cause { rank: 280, name: "logging-handlers", explain: logging_handlers::explain },
    Cause { rank: 290, name: "threads-kept", explain: kept_threads::explain },
    Cause { rank: 300, name: "futures-kept", explain: kept_futures::explain },
    Cause { rank: 310, name: "writers-kept-open", explain: writers_open::explain },
    Cause { rank: 320, name: "shared-memory-kept", explain: shared_memory::explain },
    Cause { rank: 330, name: "queue-backlog", explain: queue_backlog::explain },
    Cause { rank: 340, name: "view-keeps-array", explain: view_keeps_array::explain },
    Cause { rank: 350, name: "array-grows", explain: array_grows::explain },
    Cause { rank: 380, name: "models-kept", explain: kept_models::explain },
    Cause { rank: 410, name: "default-argument-grows", explain: default_argument::explain },
    Cause { rank: 420, name: "callbacks-added-again", explain: callbacks_added_again::explain },
    Cause { rank: 430, name: "replay-unbounded", explain: replay::explain },
    Cause { rank: 440, name: "service-keeps-answers", explain: service_answers::explain },
    Cause { rank: 450, name: "callback-keeps", explain: kept_by_callback::explain },
    Cause { rank: 460, name: "dataset-keeps", explain: kept_by_dataset::explain },
    Cause { rank: 480, name: "generator-keeps", explain: kept_by_generator::explain },
    Cause { rank: 490, name: "class-attribute-grows", explain: kept_by_class::explain },
    Cause { rank: 500, name: "closure-keeps", explain: kept_by_closure::explain },
    Cause { rank: 510, name: "global-grows", explain: kept_by_module::explain },
    Cause { rank: 520, name: "object-keeps", explain: kept_by_object::explain },
    Cause { rank: 530, name: "gc-disabled", explain: gc_disabled::explain },
    Cause { rank: 560, name: "elements-keep", explain: kept_below_elements::explain },
];

/// All causes, in the order in which they are asked.
pub fn ranked(packs: Packs) -> Vec<Cause> {
    let mut all: Vec<Cause> = CORE.iter().chain(packs.iter().flat_map(|pack| pack.causes)).copied().collect();
    all.sort_by_key(|cause| cause.rank);
    all
}

/// Says the cause of each finding that has one.
pub(crate) fn explain(findings: &mut [Finding], run: Run) {
    let causes = ranked(run.packs);
    let is_of_models = |name: &str| run.packs.iter().any(|pack| pack.models == Some(name));
    for finding in findings {
        let path = finding.holder.as_ref().map(|h| Path::of(HolderPath::of(&h.path)));
        let case = Case { finding, path, unit: run.unit, run };
        let found = causes.iter().find_map(|cause| Some((cause.name, (cause.explain)(&case)?)));
        let found = found.or_else(|| Some(("loop-keeps", kept_in_loop::explain(&case)?)));
        let Some((name, said)) = found else { continue };
        let beside = run.keeps_models.filter(|_| is_of_models(name) && run.grows("models"));
        name.clone_into(&mut finding.cause);
        finding.sentence = said.sentence;
        finding.change = Some(with_fault(name, said.change, run));
        finding.prove = run.prove(said.intervention);
        hold(finding, name, run);
        // A framework's own holder is nothing that a person can let go of; what of theirs keeps the same models is.
        let is_known = |keeps: &Holder| {
            let words = HolderPath::of(&keeps.path).words();
            let same = |known: &Holder| HolderPath::of(&known.path).words() == words;
            finding.holder.iter().chain(&finding.also_held_by).any(same)
        };
        if let Some(keeps) = beside.filter(|keeps| finding.holder.is_some() && !is_known(keeps)) {
            finding.also_held_by.insert(0, Holder { share: None, ..keeps.clone() });
        }
        if let Some(made) = said.made_at {
            tell(finding, made, name.starts_with("retraced"));
        }
    }
}

/// Adds the line that a cause knows, if the finding has none; one that `leads` is told first: the call that has a function traced
/// again is what is to be changed, and not the lines that the trace goes through.
fn tell(finding: &mut Finding, made: Site, leads: bool) {
    let first = finding.sites.iter().position(|site| site.role == made.role);
    let same = |site: &Site| (site.role, &site.file, site.line) == (made.role, &made.file, made.line);
    match (first, finding.sites.iter().position(same)) {
        (Some(_), _) if !leads => {}
        (Some(first), Some(known)) => finding.sites[first..=known.max(first)].rotate_right(1),
        (first, _) => {
            let bytes_per_cycle = finding.bytes_per_cycle.estimate;
            let at = first.unwrap_or(finding.sites.len());
            finding.sites.insert(at, Site { bytes_per_cycle, ..made });
        }
    }
}

/// Names the holder that a framework knows for the cause.
fn hold(finding: &mut Finding, cause: &str, run: Run) {
    for hold in run.packs.iter().filter_map(|pack| pack.hold) {
        hold(finding, cause, run);
    }
}

/// The change, and the framework's fault that makes it necessary, if there is one.
fn with_fault(cause: &str, change: String, run: Run) -> String {
    match faults::known(cause, run) {
        Some(fault) => format!("{change}; {fault}"),
        None => change,
    }
}
