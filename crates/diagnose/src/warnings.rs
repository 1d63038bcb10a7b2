//! What is wrong with the training, not with its memory: said apart from the verdict and the findings.
//!
//! In: facts that the hooks in the program said. Out: warnings, with the line of the program that they are about. What must
//! not happen here: a word about memory, or a warning that the program did not give cause for.

use nilometer_model::CodeFolders;

use crate::lookup::Lookup;
use crate::program::Outside;
use crate::report::{About, Site, Warning};
use crate::source_files::shown;
use crate::told::words::warning::{self, Stateful};

/// A warning, its name, and the fact that tells it with the layers that it is about.
type Row = (Stateful, &'static str, &'static str);

/// All of them, the gravest first (`docs/warnings.md` has a section for each).
const ALL: [Row; 3] = [
    (Stateful::Shuffled, "stateful-shuffled", "stateful.shuffled"),
    (Stateful::Validated, "stateful-validated", "stateful.validated"),
    (Stateful::NotReset, "stateful-not-reset", "stateful.carried"),
];

/// The warnings that the program gave cause for.
pub(crate) fn warnings(outside: &Outside, folders: &CodeFolders, lookup: &mut dyn Lookup) -> Vec<Warning> {
    let mut out = Vec::new();
    for (wrong, name, fact) in ALL {
        let Some(layers) = outside.fact(fact).filter(|layers| !layers.is_empty()) else { continue };
        let (sentence, change) = warning::words(wrong, layers);
        out.push(Warning {
            name: name.to_owned(),
            about: About::Training,
            sentence,
            called_at: outside
                .fact(&format!("{fact}.at"))
                .and_then(|at| site(at, folders, outside.folder(), lookup)),
            change: change.to_owned(),
        });
    }
    out
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
