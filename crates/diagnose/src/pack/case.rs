//! What a cause is asked about, and what it answers: all that a framework's causes see of a diagnosis.
//!
//! In: a finding, what the whole run tells. Out: short questions on both. What must not happen here: a cause.

use nilometer_model::{CodeFolders, HolderPath};

use super::Packs;
use super::path::Path;
use super::statement::statement;
use crate::report::{Finding, Frame, Holder, Probe, Program, Retraced, Site};

/// What a cause is asked about.
#[derive(Debug)]
pub struct Case<'a> {
    /// What is to be explained.
    pub finding: &'a Finding,
    /// The holder's path, read; there is none where nobody is known to hold it.
    pub path: Option<Path<'a>>,
    /// The word for a cycle.
    pub unit: &'static str,
    /// What the whole run tells.
    pub run: Run<'a>,
}

/// What the whole run tells, beside the finding.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// What is known of frameworks.
    pub packs: Packs,
    /// The word for a cycle.
    pub unit: &'static str,
    /// The program.
    pub program: &'a Program,
    /// Functions that are traced again and again.
    pub retraced: &'a [Retraced],
    /// The line that most traces come from, late in the run.
    pub traced_at: Option<&'a (String, u32)>,
    /// What was counted.
    pub probes: &'a [Probe],
    /// The program switched Python's collector off.
    pub collector_off: bool,
    /// Cycles of the run.
    pub cycles: u64,
    /// Bytes per cycle that shared memory grows by.
    pub shared: f64,
    /// Cells of a notebook ran.
    pub is_notebook: bool,
    /// Models go on being built.
    pub builds: bool,
    /// What keeps them, if something of the program's does.
    pub keeps_models: Option<&'a Holder>,
    /// Whose code lies where.
    pub folders: &'a CodeFolders,
}

impl Run<'_> {
    /// Whether this count goes on growing.
    pub fn grows(&self, probe: &str) -> bool {
        self.probes.iter().any(|p| p.name == probe && p.per_cycle.is_some_and(|n| n > 0.0))
    }

    /// The command that tries this intervention.
    pub fn prove(&self, intervention: Option<String>) -> Option<String> {
        // What came as `-m`, `-c` or on stdin is not typed again so easily.
        let script = self.program.argv.first().filter(|word| !word.starts_with('-'))?;
        Some(format!("nilometer prove --try {} {script}", intervention?))
    }

    /// That line, as the place where graphs are made.
    pub fn traces_from(&self) -> Option<Site> {
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
    pub fn graphs_grow(&self) -> bool {
        self.grows("func_graphs") || self.grows("concrete_functions")
    }
}

impl Case<'_> {
    /// What the holder holds, in words.
    pub fn elements(&self) -> &str {
        self.finding.holder.as_ref().map_or("", |h| h.elements.as_str())
    }

    /// How a person would call what grows.
    pub fn called(&self) -> String {
        let owner = self.finding.holder.as_ref().map_or("", |h| h.owner.as_str());
        self.path.as_ref().map_or(String::new(), |path| path.called(owner))
    }

    /// The line that adds to the holder, else the one that makes what it keeps.
    pub fn line(&self) -> Option<&Site> {
        let of = |role| self.finding.sites.iter().find(move |s| s.role == role && s.line > 0);
        of("kept_at").or_else(|| of("made_at"))
    }

    /// That line's statement, if it is short enough to be read in a sentence.
    pub fn short_code(&self) -> Option<&str> {
        const MAX_CODE_CHARS: usize = 100;
        self.code().map(statement).filter(|code| code.len() <= MAX_CODE_CHARS)
    }

    /// That line's code, without its comment.
    pub fn code(&self) -> Option<&str> {
        let text = self.line()?.text.as_deref()?;
        let code = text.split(" #").next().unwrap_or(text).trim();
        (!code.is_empty()).then_some(code)
    }

    /// Whether the memory is of graphs, and nobody in Python is known to hold it.
    pub fn is_unheld_graph(&self) -> bool {
        let graph = ["traced function", "function library"].iter().any(|word| self.is_part(word));
        let traced = self.finding.phase.as_deref() == Some("trace")
            || self.calls("func_graph.py", "func_graph_from_py_func");
        self.finding.holder.is_none() && (graph || traced)
    }

    /// Whether the holder is the container of the program's that keeps its models, and these go on piling up.
    pub fn keeps_models(&self) -> bool {
        let path = self.path.as_ref().map(|path| path.full.words());
        let same = |keeps: &Holder| path == Some(HolderPath::of(&keeps.path).words());
        self.run.keeps_models.is_some_and(same) && self.run.grows("models")
    }

    /// Whether what the holder holds is of this class, among others.
    pub fn holds(&self, class: &str) -> bool {
        self.held_classes().any(|word| word == class)
    }

    /// Whether the holder holds models, by their classes or because the program is seen to keep its models there.
    pub fn holds_models(&self) -> bool {
        let is_model = |word: &str| MODELS.contains(&word) || word.ends_with("Model");
        self.held_classes().any(is_model) || self.keeps_models()
    }

    fn held_classes(&self) -> impl Iterator<Item = &str> {
        self.elements().split([' ', '.', ',', '(', ')'])
    }

    /// Whether the memory belongs to this part of a library.
    pub fn is_part(&self, word: &str) -> bool {
        self.finding.part.as_ref().is_some_and(|part| part.contains(word))
    }

    /// The frames that most of the growth was made below: what a cause may rest on.
    pub fn carriers(&self) -> impl Iterator<Item = &Frame> {
        self.finding.stack.iter().filter(|frame| frame.carries)
    }

    /// Whether a function of this name of a library is on the stack.
    pub fn calls(&self, file: &str, function: &str) -> bool {
        let is = |frame: &&Frame| {
            frame.kind == "library"
                && frame.file.contains(file)
                && frame.function.rsplit('.').next() == Some(function)
        };
        self.carriers().any(|frame| is(&frame))
    }
}

/// The last is what `tf.saved_model.load` returns.
const MODELS: [&str; 4] = ["Sequential", "Functional", "Model", "_UserObject"];

/// What a cause says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// What happens, in the user's own names.
    pub sentence: String,
    /// What to change.
    pub change: String,
    /// The intervention of `nilometer prove` that would show it.
    pub intervention: Option<String>,
    /// Where it is made, if the cause knows and the finding does not.
    pub made_at: Option<Site>,
}
