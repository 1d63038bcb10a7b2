//! `functools.lru_cache` or `cache` around a function whose results or arguments are big.
//!
//! Evidence: the path leads through such a cache. With a bound it only fills; without one (`cache`, `maxsize=None`) it grows
//! for as long as arguments differ.

use nilometer_model::Step;

use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let function = path.full.before(Step::LruCache)?.0.last_words();
    let bound = case.finding.holder.as_ref().and_then(|h| h.bound);
    let sentence = match bound {
        Some(bound) => format!("the lru_cache of {function} fills, up to {bound} results"),
        None => {
            format!("the lru_cache of {function} keeps every result and every argument it was called with")
        }
    };
    Some(Explanation {
        sentence,
        change: format!(
            "give it a bound that fits: `@lru_cache(maxsize=32)` above {function}; tensors and arrays as arguments never \
             meet again, so that no call is ever answered from the cache"
        ),
        ..Explanation::default()
    })
}
