//! From a growth to its cause: what a person who has seen it a hundred times would say, and the change they would make.
//!
//! In: a finding with its sites and its holder, and what else the run tells. Out: the finding with the cause's name, its
//! sentence, the change, the command that proves it. One file per cause; [`ALL`] is the order in which they are asked, the
//! most telling first. What must not happen here: a cause that its evidence does not carry. A growth that none explains
//! stays "growth-at-site" or "container-grows", with its sites and holders.

mod added;
mod alike;
mod array_grows;
mod callbacks_added_again;
mod classes_registered;
mod default_argument;
mod exit_functions;
mod faults;
mod figures_open;
mod gc_disabled;
mod gradient_registry;
mod graph_grows;
mod holder_path;
mod hooks_registered;
mod kept_by_callback;
mod kept_by_class;
mod kept_by_closure;
mod kept_by_dataset;
mod kept_by_generator;
mod kept_by_module;
mod kept_by_object;
mod kept_datasets;
mod kept_exceptions;
mod kept_futures;
mod kept_graphs;
mod kept_in_loop;
mod kept_models;
mod kept_tapes;
mod kept_tensors;
mod kept_threads;
mod kernel_cache;
mod kernels_per_shape;
mod logging_handlers;
mod lru_cache;
mod metric_children;
mod native_library;
mod notebook_output;
mod py_functions;
mod queue_backlog;
mod random_seeded;
mod replay;
mod retraced;
mod scalars_cached;
mod service_answers;
mod shared_memory;
mod statement;
mod torch_memory;
mod train_steps;
mod view_keeps_array;
mod writers_open;

use nilometer_model::{CodeFolders, HolderPath};

use crate::report::{Finding, Frame, Holder, Probe, Program, Retraced, Site};

pub(crate) use added::add;
pub(crate) use alike::merge;
pub(crate) use gradient_registry::goes_on_building;
pub(crate) use kept_graphs::gather;
pub(crate) use kept_models::{gather_parameters, who_keeps};
pub(crate) use shared_memory::growth as shared_growth;

use holder_path::Path;

/// What a cause is asked about.
pub(crate) struct Case<'a> {
    pub(crate) finding: &'a Finding,
    /// The holder's path, read; there is none where nobody is known to hold it.
    pub(crate) path: Option<Path<'a>>,
    pub(crate) unit: &'static str,
    pub(crate) run: Run<'a>,
}

/// What the whole run tells, beside the finding.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) unit: &'static str,
    pub(crate) program: &'a Program,
    /// Functions that are traced again and again.
    pub(crate) retraced: &'a [Retraced],
    /// The line that most traces come from, late in the run.
    pub(crate) traced_at: Option<&'a (String, u32)>,
    pub(crate) probes: &'a [Probe],
    /// The program switched Python's collector off.
    pub(crate) collector_off: bool,
    pub(crate) cycles: u64,
    /// Bytes per cycle that shared memory grows by.
    pub(crate) shared: f64,
    /// Cells of a notebook ran.
    pub(crate) is_notebook: bool,
    /// Models go on being built.
    pub(crate) builds: bool,
    /// What keeps them, if something of the program's does.
    pub(crate) keeps_models: Option<&'a Holder>,
    /// Whose code lies where.
    pub(crate) folders: &'a CodeFolders,
}

impl Run<'_> {
    /// Whether this count goes on growing.
    pub(crate) fn grows(&self, probe: &str) -> bool {
        self.probes.iter().any(|p| p.name == probe && p.per_cycle.is_some_and(|n| n > 0.0))
    }

    /// The command that tries this intervention.
    pub(crate) fn prove(&self, intervention: Option<String>) -> Option<String> {
        // What came as `-m`, `-c` or on stdin is not typed again so easily.
        let script = self.program.argv.first().filter(|word| !word.starts_with('-'))?;
        Some(format!("nilometer prove --try {} {script}", intervention?))
    }

    /// That line, as the place where graphs are made.
    pub(crate) fn traces_from(&self) -> Option<Site> {
        let (file, line) = self.traced_at?;
        Some(Site {
            role: "made_at",
            file: file.clone(),
            line: *line,
            function: String::new(),
            bytes_per_cycle: 0,
            text: None,
            inside: None,
        })
    }

    /// Whether graphs of traced functions pile up.
    pub(crate) fn graphs_grow(&self) -> bool {
        self.grows("func_graphs") || self.grows("concrete_functions")
    }
}

impl Case<'_> {
    /// What the holder holds, in words.
    pub(crate) fn elements(&self) -> &str {
        self.finding.holder.as_ref().map_or("", |h| h.elements.as_str())
    }

    /// How a person would call what grows.
    pub(crate) fn called(&self) -> String {
        let owner = self.finding.holder.as_ref().map_or("", |h| h.owner.as_str());
        self.path.as_ref().map_or(String::new(), |path| path.called(owner))
    }

    /// The line that adds to the holder, else the one that makes what it keeps.
    pub(crate) fn line(&self) -> Option<&Site> {
        let of = |role| self.finding.sites.iter().find(move |s| s.role == role && s.line > 0);
        of("kept_at").or_else(|| of("made_at"))
    }

    /// That line's statement, if it is short enough to be read in a sentence.
    pub(crate) fn short_code(&self) -> Option<&str> {
        const MAX_CODE_CHARS: usize = 100;
        self.code().map(statement::statement).filter(|code| code.len() <= MAX_CODE_CHARS)
    }

    /// That line's code, without its comment.
    pub(crate) fn code(&self) -> Option<&str> {
        let text = self.line()?.text.as_deref()?;
        let code = text.split(" #").next().unwrap_or(text).trim();
        (!code.is_empty()).then_some(code)
    }

    /// Whether the memory is of graphs, and nobody in Python is known to hold it.
    pub(crate) fn is_unheld_graph(&self) -> bool {
        let graph = ["traced function", "function library"].iter().any(|word| self.is_part(word));
        let traced = self.finding.phase.as_deref() == Some("trace")
            || self.calls("func_graph.py", "func_graph_from_py_func");
        self.finding.holder.is_none() && (graph || traced)
    }

    /// Whether the memory belongs to this part of a library.
    pub(crate) fn is_part(&self, word: &str) -> bool {
        self.finding.part.as_ref().is_some_and(|part| part.contains(word))
    }

    /// The frames that most of the growth was made below: what a cause may rest on.
    pub(crate) fn carriers(&self) -> impl Iterator<Item = &Frame> {
        self.finding.stack.iter().filter(|frame| frame.carries)
    }

    /// Whether a function of this name of a library is on the stack.
    pub(crate) fn calls(&self, file: &str, function: &str) -> bool {
        let is = |frame: &&Frame| {
            frame.kind == "library"
                && frame.file.contains(file)
                && frame.function.rsplit('.').next() == Some(function)
        };
        self.carriers().any(|frame| is(&frame))
    }
}

/// What a cause says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Explanation {
    /// What happens, in the user's own names.
    pub(crate) sentence: String,
    /// What to change.
    pub(crate) change: String,
    /// The intervention of `nilometer prove` that would show it.
    pub(crate) intervention: Option<String>,
    /// Where it is made, if the cause knows and the finding does not.
    pub(crate) made_at: Option<Site>,
}

/// A cause: its name, and what it says if its evidence is there.
type Cause = (&'static str, fn(&Case) -> Option<Explanation>);

/// All causes. What is held is more telling than who holds it: a list of tapes is about tapes.
const ALL: [Cause; 56] = [
    ("retraced-by-scalars", retraced::by_scalars),
    ("retraced-by-shapes", retraced::by_shapes),
    ("retraced-by-methods", retraced::by_methods),
    ("retraced-by-functions", retraced::by_functions),
    ("saving-makes-variables", kernel_cache::by_saving),
    ("random-ops-seeded", random_seeded::explain),
    ("metrics-in-a-loop", kernel_cache::by_metrics),
    ("kernel-cache", kernel_cache::explain),
    ("kernels-per-shape", kernels_per_shape::explain),
    ("scalars-cached", scalars_cached::explain),
    ("graph-grows", graph_grows::explain),
    ("models-in-a-loop", gradient_registry::by_models),
    ("clear-session-in-the-loop", train_steps::by_clearing),
    ("eager-toggled", train_steps::by_switching),
    ("recompiled-per-round", train_steps::by_compiling),
    ("tf-gradient-registry", train_steps::by_functions),
    ("tf-gradient-registry", gradient_registry::explain),
    ("tf-keeps-py-functions", py_functions::explain),
    ("notebook-keeps-output", notebook_output::explain),
    ("figures-open", figures_open::explain),
    ("classes-registered", classes_registered::explain),
    ("exit-functions-added", exit_functions::explain),
    ("native-library", native_library::explain),
    ("native-library", native_library::of_own_memory),
    ("tapes-kept", kept_tapes::explain),
    ("exceptions-kept", kept_exceptions::explain),
    ("lru-cache", lru_cache::explain),
    ("metric-children", metric_children::explain),
    ("logging-handlers", logging_handlers::explain),
    ("threads-kept", kept_threads::explain),
    ("futures-kept", kept_futures::explain),
    ("writers-kept-open", writers_open::explain),
    ("shared-memory-kept", shared_memory::explain),
    ("queue-backlog", queue_backlog::explain),
    ("view-keeps-array", view_keeps_array::explain),
    ("array-grows", array_grows::explain),
    ("datasets-kept", kept_datasets::explain),
    ("datasets-kept", kept_datasets::by_count),
    ("models-kept", kept_models::explain),
    ("hooks-registered", hooks_registered::explain),
    ("graphs-kept", kept_graphs::of_holder),
    ("default-argument-grows", default_argument::explain),
    ("callbacks-added-again", callbacks_added_again::explain),
    ("replay-unbounded", replay::explain),
    ("service-keeps-answers", service_answers::explain),
    ("callback-keeps", kept_by_callback::explain),
    ("dataset-keeps", kept_by_dataset::explain),
    ("tensors-kept", kept_tensors::explain),
    ("generator-keeps", kept_by_generator::explain),
    ("class-attribute-grows", kept_by_class::explain),
    ("closure-keeps", kept_by_closure::explain),
    ("global-grows", kept_by_module::explain),
    ("object-keeps", kept_by_object::explain),
    ("gc-disabled", gc_disabled::explain),
    ("kernel-cache", kernel_cache::by_operation),
    ("graphs-kept", kept_graphs::explain),
];

/// Says the cause of each finding that has one.
pub(crate) fn explain(findings: &mut [Finding], run: Run) {
    for finding in findings {
        let path = finding.holder.as_ref().map(|h| Path::of(HolderPath::of(&h.path)));
        let case = Case { finding, path, unit: run.unit, run };
        let found = ALL.iter().find_map(|(name, explain)| Some((*name, explain(&case)?)));
        let found = found.or_else(|| Some(("loop-keeps", kept_in_loop::explain(&case)?)));
        let Some((name, said)) = found else { continue };
        let beside = run.keeps_models.filter(|_| name == gradient_registry::MODELS && run.grows("models"));
        name.clone_into(&mut finding.cause);
        finding.sentence = said.sentence;
        finding.change = Some(with_fault(name, said.change, run.program));
        finding.prove = run.prove(said.intervention);
        gradient_registry::hold(finding, name, run);
        // The registry is nothing that a person can let go of; what of theirs keeps the same models is.
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

/// The change, and the framework's fault that makes it necessary, if there is one.
fn with_fault(cause: &str, change: String, program: &Program) -> String {
    match faults::known(cause, program) {
        Some(fault) => format!("{change}; {fault}"),
        None => change,
    }
}
