//! Writers of summaries and files that are kept open: each has buffers, and a queue or thread that empties them.
//!
//! Evidence: the container holds writers by their class, or what hangs below its elements belongs to writers.

use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let holder = case.finding.holder.as_ref()?;
    let is_writer =
        |word: &str| word.ends_with("Writer") || matches!(word, "TextIOWrapper" | "FileIO" | "H5File");
    let of_each = !path.below.is_empty() && is_writer(&holder.owner);
    if !of_each && !case.elements().split([' ', ',', '(', ')']).any(is_writer) {
        return None;
    }
    let list = path.full.words();
    Some(Explanation {
        sentence: format!("{list} keeps the writers of every {} open, each with its buffers", case.unit),
        change: "close each when its part is written: `with writer.as_default(): ...`, then `writer.close()`; and keep one writer \
                 for all where that will do"
            .to_owned(),
        ..Explanation::default()
    })
}
