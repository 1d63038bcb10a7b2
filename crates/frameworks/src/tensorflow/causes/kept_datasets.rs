//! Datasets or their iterators that are kept.
//!
//! Evidence: nobody is known to hold what a pipeline made, and the number of living iterators or datasets goes on growing; or the
//! holder holds datasets or iterators of tf.data, or the path leads through parts of theirs. Each keeps its source (`from_tensor_slices` copies the data
//! into the graph), its buffers and its threads, most of it in native code.

use nilometer_diagnose::pack::{Case, Explanation};

const CHANGE: &str =
    "build the dataset once and iterate over it anew in each round; keep none of the iterators";

/// Attributes of theirs.
const PARTS: [&str; 3] = ["_input_dataset", "_variant_tensor_attr", "_structure"];

/// Memory of datasets' own, in native code, while the number of living iterators or datasets goes on growing.
pub(super) fn by_count(case: &Case) -> Option<Explanation> {
    let is_pipeline = case.is_part("tf.data")
        || case.is_part("MakeIterator")
        || case.calls("iterator_ops.py", "_create_iterator");
    let what = match () {
        () if case.run.grows("iterators") => {
            "iterators are made and kept, and each keeps its buffers and threads"
        }
        () if case.run.grows("datasets") => {
            "datasets are made and kept, and each keeps its own copy of the data"
        }
        () => return None,
    };
    (case.finding.holder.is_none() && is_pipeline).then(|| Explanation {
        sentence: format!("in every {} {what}", case.unit),
        change: CHANGE.to_owned(),
        ..Explanation::default()
    })
}

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let elements = case.elements();
    let is_part = |name: &str| PARTS.iter().any(|part| name.starts_with(part));
    let iterators = elements.contains("Iterator") || path.below.contains("._iterator");
    let datasets = elements.contains("Dataset") || path.full.names().any(is_part);
    if !iterators && !datasets {
        return None;
    }
    let what = if iterators {
        "iterators, and each keeps its buffers and threads"
    } else {
        "datasets, and each keeps its own copy of the data"
    };
    Some(Explanation {
        sentence: format!("{} keeps {what}", case.called()),
        change: CHANGE.to_owned(),
        ..Explanation::default()
    })
}
