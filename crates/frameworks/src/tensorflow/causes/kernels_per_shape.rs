//! oneDNN's kernels, one set for each shape it has met.
//!
//! Evidence: the memory is oneDNN's, and the number of different shapes of batches goes on growing. That cache has a bound, so
//! that it may only fill; without the growing shapes nothing is said.

use nilometer_diagnose::pack::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let made = case.carriers().any(|f| f.kind == "native" && f.function.starts_with("dnnl"));
    if !(case.is_part("oneDNN") || made) || !case.run.grows("batch_shapes") {
        return None;
    }
    Some(Explanation {
        sentence:
            "batches come in ever new shapes, and oneDNN primitives (kernels) are kept for each of them"
                .to_owned(),
        change: "pad batches to a few sizes (`bucket_by_sequence_length`, `drop_remainder=True`); \
                 `TF_ENABLE_ONEDNN_OPTS=0` runs without these kernels"
            .to_owned(),
        intervention: Some("no-onednn".to_owned()),
        ..Explanation::default()
    })
}
