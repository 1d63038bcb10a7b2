//! A metric of Prometheus whose labels take ever new values: it keeps a child for each set of them.
//!
//! Evidence: the path leads through the children of a metric. A metric whose labels take few values has all of them soon.

use nilometer_model::Step;

use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let metric = path.full.before(Step::ChildrenPerLabel)?.0.last_words();
    Some(Explanation {
        sentence: format!("the metric {metric} keeps a child for each new set of label values"),
        change: format!(
            "label {metric} with what takes few values: the route and not the path, no ids of users; `{metric}.remove(...)` \
             takes a child out again"
        ),
        ..Explanation::default()
    })
}
