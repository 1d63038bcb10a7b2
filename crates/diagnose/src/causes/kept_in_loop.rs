//! A container in a variable of a function that runs all the while: the list of a loop.
//!
//! Evidence: the path is a variable of a running function of the user's. Asked last, as it says the least.

use super::kept_by_callback::{change, what};
use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let function = path.full.function()?;
    if path.name.is_empty() {
        return None;
    }
    let of = if path.full.is_local() {
        format!("{} in {function}()", path.name)
    } else {
        path.full.without_elements().in_code().to_owned()
    };
    Some(Explanation {
        sentence: format!("{of} keeps {} of every {}", what(case), case.unit),
        change: change(case),
        ..Explanation::default()
    })
}
