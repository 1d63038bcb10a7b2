//! A metric of Prometheus whose labels take ever new values: it keeps a child for each set of them.
//!
//! Evidence: the path leads through the children of a metric. A metric whose labels take few values has all of them soon.

use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let (before, _) = path.full.split_once(".<children per label>")?;
    let metric = before.rsplit(['.', ' ']).next().unwrap_or(before);
    Some(Explanation {
        sentence: format!("the metric {metric} keeps a child for each new set of label values"),
        change: format!(
            "label {metric} with what takes few values: the route and not the path, no ids of users; `{metric}.remove(...)` \
             takes a child out again"
        ),
        ..Explanation::default()
    })
}
