//! Datasets or their iterators that are kept.
//!
//! Evidence: the holder holds datasets or iterators of tf.data, or the path leads through parts of theirs. Each keeps its source (`from_tensor_slices` copies the data
//! into the graph), its buffers and its threads, most of it in native code.

use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let elements = case.elements();
    let through = |step: &&str| path.full.contains(*step);
    let iterators = elements.contains("Iterator") || path.below.contains("._iterator");
    let datasets = elements.contains("Dataset")
        || ["._input_dataset", "._variant_tensor_attr", "._structure"].iter().any(through);
    if !iterators && !datasets {
        return None;
    }
    let what = if iterators {
        "iterators, and each keeps its buffers and threads"
    } else {
        "datasets, and each keeps its own copy of the data"
    };
    Some(Explanation {
        sentence: format!("{} keeps {what}", path.name),
        change: "build the dataset once and iterate over it anew in each round; keep none of the iterators"
            .to_owned(),
        ..Explanation::default()
    })
}
