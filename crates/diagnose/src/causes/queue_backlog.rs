//! A queue that is filled faster than it is emptied.
//!
//! Evidence: the holder is the deque inside of a `queue.Queue` (or what a thread pool waits with), and it goes on growing.

use nilometer_model::HolderPath;

use super::{Case, Explanation};

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let holder = case.finding.holder.as_ref()?;
    let queue = HolderPath::of(&holder.path).owner_of("queue").filter(|_| holder.kind == "deque")?.in_code();
    let bounded = if queue.ends_with("_work_queue") {
        "hand in less at a time: wait for the results of one batch of jobs before the next".to_owned()
    } else {
        "let more threads take from it, or give it a bound, so that who is faster waits: `queue.Queue(maxsize=100)`; where nobody takes from it, \
         that would wait for ever: put nothing in"
            .to_owned()
    };
    Some(Explanation {
        sentence: format!(
            "{queue} is filled faster than it is emptied: what waits in it grows with every {}",
            case.unit
        ),
        change: bounded,
        ..Explanation::default()
    })
}
