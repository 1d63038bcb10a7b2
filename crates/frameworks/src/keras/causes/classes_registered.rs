//! Classes or functions that are made and registered with Keras in every round.
//!
//! Evidence: the path leads through Keras' table of custom objects, which has an entry for each class that was ever registered.

use nilometer_diagnose::pack::{Case, Explanation};

/// The names of the tables in Keras 3 and 2; nothing takes entries out of them.
const TABLES: [&str; 4] =
    ["GLOBAL_CUSTOM_NAMES", "GLOBAL_CUSTOM_OBJECTS", "_GLOBAL_CUSTOM_NAMES", "_GLOBAL_CUSTOM_OBJECTS"];

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let is_table = |name: &str| TABLES.contains(&name) || name == "global_custom_objects";
    let at_table = path.full.names().any(is_table);
    at_table.then(|| Explanation {
        sentence: format!(
            "every {} registers a new class or function with Keras, whose table keeps each, with what its methods refer to",
            case.unit
        ),
        change: "define and register it once, at the outermost level of a module; hand what differs to its constructor \
                 (`def __init__(self, table)`, and `get_config` for saving)"
            .to_owned(),
        ..Explanation::default()
    })
}
