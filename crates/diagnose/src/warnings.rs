//! What is wrong with the training, not with its memory: said apart from the verdict and the findings.
//!
//! In: facts that the hooks in the program said. Out: warnings, with the line of the program that they are about. What must
//! not happen here: a word about memory, or a warning that the program did not give cause for.

use nilometer_model::CodeFolders;

use crate::lookup::Lookup;
use crate::program::Outside;
use crate::report::{About, Site, Warning};
use crate::source_files::shown;

/// A warning: its name, the fact that tells it, the sentence with a place for the layers, and the change.
type Row = (&'static str, &'static str, &'static str, &'static str);

/// All of them, the gravest first (`docs/warnings.md` has a section for each).
const ALL: [Row; 3] = [
    (
        "stateful-shuffled",
        "stateful.shuffled",
        "fit() shuffles its samples, but {} goes on from batch to batch with the state that other samples left",
        "fit(shuffle=False), and samples in the order in which they continue; or stateful=False, if they do not continue",
    ),
    (
        "stateful-validated",
        "stateful.validated",
        "after validation each epoch begins with the state in which validation left {}",
        "reset_state() of the layer in on_epoch_begin of a callback, which comes after validation",
    ),
    (
        "stateful-not-reset",
        "stateful.carried",
        "each epoch begins at the first samples again, but with the state in which the last ones left {}",
        "reset_state() of the layer in on_epoch_begin of a callback",
    ),
];

/// The warnings that the program gave cause for.
pub(crate) fn warnings(outside: &Outside, folders: &CodeFolders, lookup: &mut dyn Lookup) -> Vec<Warning> {
    let mut out = Vec::new();
    for (name, fact, sentence, change) in ALL {
        let Some(layers) = outside.fact(fact).filter(|layers| !layers.is_empty()) else { continue };
        out.push(Warning {
            name: name.to_owned(),
            about: About::Training,
            sentence: sentence.replacen("{}", &listed(layers), 1),
            called_at: outside
                .fact(&format!("{fact}.at"))
                .and_then(|at| site(at, folders, outside.folder(), lookup)),
            change: change.to_owned(),
        });
    }
    out
}

/// `a, b, c` as people say it.
fn listed(names: &str) -> String {
    match names.rsplit_once(", ") {
        Some((before, last)) => format!("{before} and {last}"),
        None => names.to_owned(),
    }
}

/// `FILE:LINE`, with the line's source where the file can be read.
fn site(at: &str, folders: &CodeFolders, folder: Option<&str>, lookup: &mut dyn Lookup) -> Option<Site> {
    let (file, line) = at.rsplit_once(':')?;
    let line = line.parse().ok().filter(|line| *line > 0)?;
    Some(Site {
        role: "called_at",
        file: shown(file, folders.owner_of(file), folder).to_owned(),
        line,
        function: String::new(),
        bytes_per_cycle: 0,
        text: lookup.line(file, line).map(|text| text.trim().to_owned()),
        inside: None,
    })
}
