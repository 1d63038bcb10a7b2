//! Functions that are registered again and again to be called at the end: Python keeps each with its arguments until then.
//!
//! Evidence: their number goes on growing, and no object of Python's leads to the memory: what the interpreter itself keeps for the
//! end is reached from none.

use super::{Case, Explanation};
use crate::holders::NATIVE;

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let of_interpreter = case.finding.holder.as_ref().is_none_or(|holder| holder.kind == NATIVE);
    // A framework's own memory is no argument of a function.
    let words = || case.run.packs.iter().filter_map(|pack| pack.code);
    let is_framework = |name: &str| words().any(|word| name.contains(word));
    let is_pythons = case.finding.part.as_ref().is_none_or(|part| part.contains("NumPy"))
        && !case
            .carriers()
            .any(|f| f.kind == "native" && (is_framework(&f.file) || is_framework(&f.function)));
    let grows = case.run.grows("exit_functions");
    (of_interpreter && is_pythons && grows).then(|| Explanation {
        sentence: format!(
            "every {} registers one more function with `atexit`, and Python keeps each with its arguments until the end",
            case.unit
        ),
        change: "do the work when its round is done; or register one function at the beginning, and let it find what is left to do then; or \
                 take it off again with `atexit.unregister(function)`"
            .to_owned(),
        ..Explanation::default()
    })
}
