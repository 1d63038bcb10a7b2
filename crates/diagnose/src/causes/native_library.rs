//! Arrays that native code was handed and keeps.
//!
//! Evidence: the holder is native code; no object of Python's led to the arrays when the whole heap was looked at.

use super::{Case, Explanation};
use crate::held::NATIVE;

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    case.finding.holder.as_ref().filter(|holder| holder.kind == NATIVE)?;
    let at = case.line().map_or(String::new(), |site| format!(" made at {}:{}", site.file, site.line));
    Some(Explanation {
        sentence: format!(
            "native code keeps an array of every {}: references that no object of Python's has",
            case.unit
        ),
        change: format!(
            "look where the array{at} is passed to a library in C: it takes a reference and does not give it back; call what \
             releases it, or pass a copy that the library owns"
        ),
        ..Explanation::default()
    })
}
