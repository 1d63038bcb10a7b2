//! Threads that are kept when they have ended, with what they were given and what they found; or that never end.
//!
//! Evidence: what hangs below the elements of a container belongs to threads by their class; or the container holds threads; or the
//! holder is a variable of a running function, or a part of a thread, and no container, or Python's own list of those that run, while the
//! number of threads goes on growing or a thread's first function holds what a line makes anew each time.

use nilometer_model::{Root, Step};

use super::{Case, Explanation};

/// Where Python has the threads that run.
const RUNNING: (&str, &str) = ("threading", "_active");

/// Where every thread of Python's begins.
const FIRST_FUNCTION: &str = "_bootstrap";

pub(super) fn explain(case: &Case) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let holder = case.finding.holder.as_ref()?;
    let words_of = || case.elements().split([' ', ',', '(', ')']);
    // A thread may be the one that has the container: then its elements are something else.
    let may_be = case.elements().is_empty() || words_of().any(|word| word == holder.owner);
    let is_part = !path.below.is_empty() && !path.below.starts_with(".base");
    let of_each = holder.role.as_deref() == Some("thread") && is_part && may_be;
    let is_thread = |word: &str| matches!(word, "Thread" | "Timer" | "_DummyThread");
    let holds = words_of().any(is_thread);
    // The list of those that run, which Python keeps itself.
    let mut steps = path.full.steps();
    let running =
        path.full.root() == Root::Word(RUNNING.0) && steps.next() == Some(Step::Attribute(RUNNING.1));
    if running || !of_each && !holds {
        return piled_up(case, running);
    }
    let list = path.full.words();
    let part = if of_each { path.below.trim_start_matches('.') } else { "variables" };
    Some(Explanation {
        sentence: format!(
            "{list} keeps the threads of every {}, also when they have ended, each with its {part}",
            case.unit
        ),
        change: format!(
            "drop those that have ended: `{list} = [thread for thread in {list} if thread.is_alive()]`; or keep what they found, \
             and one `ThreadPoolExecutor` for all"
        ),
        ..Explanation::default()
    })
}

/// Threads that never end: each has variables of its own, all of the same name.
fn piled_up(case: &Case, running: bool) -> Option<Explanation> {
    let path = case.path.as_ref()?;
    let is_slot = path.full.is_slot() && path.full.function().is_some();
    // The first function of a thread, and a line that makes a whole one each time: each thread has its own.
    let kind = case
        .finding
        .holder
        .as_ref()
        .map(|holder| format!("{}(", holder.kind.rsplit('.').next().unwrap_or_default()));
    let is_made_anew = case.code().zip(kind).is_some_and(|(code, kind)| code.contains(&kind));
    let is_of_each = is_slot && path.full.function() == Some(FIRST_FUNCTION) && is_made_anew;
    (is_of_each || (is_slot || running) && case.run.grows("python_threads")).then(|| Explanation {
        sentence: format!("every {} starts threads that do not end, and each keeps its variables", case.unit),
        change: "let a thread's function return when its work is done; or hand the work to one `ThreadPoolExecutor(max_workers=...)` \
                 for all"
            .to_owned(),
        ..Explanation::default()
    })
}
