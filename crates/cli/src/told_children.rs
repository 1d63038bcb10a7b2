//! What is said of children that have captures of their own, and which of these captures stay.
//!
//! In: the children, their verdicts, and which of them the verdict on the job blames. Out: lines for the end of a run, and captures
//! to be removed. What must not happen here: by default, a line or a file for each harmless child; or a word against one that the
//! job's rules do not blame, as it was replaced or gave its memory back.

use std::collections::BTreeMap;
use std::path::Path;

use nilometer_diagnose::Verdict;

use crate::judged_children::Judged;
use crate::supervisor::{Child, Recorded};
use crate::words::children as words;

/// The children's part of the last screen.
pub(crate) struct Told<'a> {
    pub(crate) text: String,
    pub(crate) to_remove: Vec<&'a Path>,
}

/// What the job's report says of the children.
#[derive(Default)]
pub(crate) struct OfJob {
    /// Those whom it blames.
    pub(crate) blamed: Vec<u64>,
    /// Whether it judges their lives together: then no word of each alone.
    pub(crate) together: bool,
}

/// Tells of the children; `named` gives a capture's name as one would type it.
pub(crate) fn tell<'a>(
    children: &'a [Child],
    judged: &BTreeMap<u32, Judged>,
    recorded: Recorded,
    job: &OfJob,
    named: impl Fn(&Path) -> String,
) -> Told<'a> {
    let mut told = Told { text: String::new(), to_remove: Vec::new() };
    let mut others = Vec::new();
    for child in children {
        let judged = judged.get(&child.pid);
        let leak = judged.and_then(|judged| judged.leak.as_ref());
        let is_told = recorded == Recorded::All || job.blamed.contains(&u64::from(child.pid));
        if is_told {
            let role = child.role.as_deref().unwrap_or("Python");
            let name = named(&child.capture);
            told.text += &words::blamed(child.pid, role, leak.map(String::as_str), &name);
        } else {
            told.to_remove.push(&child.capture);
            // A leak that the job's rules do not blame is no verdict to count.
            others.extend(judged.filter(|judged| judged.verdict != Verdict::Leak));
        }
    }
    let no_leak = others.iter().filter(|judged| judged.verdict == Verdict::NoLeak).count();
    told.text += &words::harmless(no_leak, others.len() - no_leak, job.together);
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(verdict: Verdict) -> Judged {
        Judged { verdict, leak: (verdict == Verdict::Leak).then(|| "LEAK +1 MiB per window".to_owned()) }
    }

    fn child(pid: u32) -> Child {
        Child { pid, role: Some("loader".to_owned()), capture: format!("x.{pid}.nilo").into() }
    }

    fn told(verdicts: &[Verdict], recorded: Recorded, blamed: &[u64]) -> (String, usize) {
        let children: Vec<Child> = (1..).take(verdicts.len()).map(child).collect();
        let judged = (1..).zip(verdicts.iter().map(|verdict| judged(*verdict))).collect();
        let job = OfJob { blamed: blamed.to_vec(), together: false };
        let told = tell(&children, &judged, recorded, &job, |path| path.display().to_string());
        (told.text, told.to_remove.len())
    }

    #[test]
    fn only_those_that_are_blamed_have_a_line_and_a_file() {
        let verdicts = [Verdict::NoLeak, Verdict::Leak, Verdict::Undecided];
        let (text, removed) = told(&verdicts, Recorded::Forked, &[2]);
        assert_eq!(
            text,
            "Child 2 (loader): LEAK +1 MiB per window\n    nilometer report x.2.nilo\n\
             Children: 2 forked children were recorded: no leak in 1, undecided in 1\n"
        );
        assert_eq!(removed, 2);
        assert_eq!(told(&verdicts, Recorded::All, &[]).0.lines().count(), 4);
        assert_eq!(told(&verdicts, Recorded::All, &[]).1, 0);
    }

    #[test]
    fn harmless_ones_share_a_line() {
        let no_leak = [Verdict::NoLeak; 2];
        assert_eq!(told(&[], Recorded::Forked, &[]), (String::new(), 0));
        let (text, removed) = told(&no_leak, Recorded::Forked, &[]);
        assert_eq!(text, "Children: 2 forked children were recorded: no leak in them\n");
        assert_eq!(removed, 2);
        let job = OfJob { together: true, ..OfJob::default() };
        let children = [child(1), child(2)];
        let judged = [(1, judged(Verdict::NoLeak)), (2, judged(Verdict::Undecided))].into();
        let text = tell(&children, &judged, Recorded::Forked, &job, |_| String::new()).text;
        assert_eq!(text, "Children: 2 forked children were recorded: their lives are judged together\n");
        let (text, _) = told(no_leak.get(..1).unwrap_or_default(), Recorded::Forked, &[]);
        assert_eq!(text, "Children: a forked child was recorded: no leak in it\n");
    }
}
