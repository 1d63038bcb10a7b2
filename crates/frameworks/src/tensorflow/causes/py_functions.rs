//! TensorFlow's list of Python functions that graphs call back: `from_generator`, `py_function` and `numpy_function` add to it, and
//! nothing takes them out; whatever a function refers to stays with it.
//!
//! Evidence: the path leads through that list, and not through one function of it to a container that grows by itself; or their number goes on growing, and the holder is the variable of a closure, not a
//! container that grows.

use nilometer_diagnose::pack::{Case, Explanation};
use nilometer_model::{HolderPath, Step};

/// The attribute of a graph that keeps them.
const LIST: &str = "_py_funcs_used_in_graph";

fn grows_there(path: HolderPath) -> bool {
    let Some((list, behind)) = path.before(Step::Attribute(LIST)) else { return false };
    behind.starts_with("[*]") || path.levels() == list.levels()
}

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?.full;
    let role = case.finding.holder.as_ref()?.role.as_deref();
    let is_slot = role == Some("closure") && path.is_slot();
    let is_kept = grows_there(path) || is_slot && case.run.grows("py_functions");
    if !is_kept {
        return None;
    }
    Some(Explanation {
        sentence: format!(
            "TensorFlow keeps each Python function that a graph calls back, and what it refers to, for good: every {} hands it \
             new ones",
            case.unit
        ),
        change: "hand over one function for the whole run (build the dataset once, or let the function read what differs from one \
                 object); or do without it: `tf.data.Dataset.from_tensor_slices(...)`, operations of TensorFlow's in `map`"
            .to_owned(),
        ..Explanation::default()
    })
}
