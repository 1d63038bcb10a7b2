//! The order of experiments: first those that findings suggest, then general advice, cheap ones first.
//!
//! In: the report of the first run, and the survey of the program. Out: interventions in order; each of them
//! has something to change in this program.

use nilometer_diagnose::{Finding, Holder, Report};
use nilometer_model::{HolderPath, Root, Step};

use crate::intervention::Intervention;
use crate::pack::{Advice, Case, Packs, Worth};
use crate::survey::{Callback, Survey};

/// Score of a finding that suggests the intervention: above anything of the general list.
const FINDING_SCORE: f64 = 100.0;
/// Callbacks that are tried one by one at most; all of them are also tried together.
const MAX_SINGLE_CALLBACKS: usize = 6;
/// Containers that are tried at most.
const MAX_CONTAINERS: usize = 6;

/// The experiments worth making, in order.
pub fn checklist(report: &Report, survey: &Survey, packs: Packs) -> Vec<Intervention> {
    let case = Case { report, survey };
    let mut list = case.callbacks();
    list.extend(case.containers());
    list.extend(case.general(packs));
    // Stable: equal scores keep the order of the list.
    list.sort_by(|a, b| b.1.total_cmp(&a.1));
    list.into_iter().map(|(intervention, _)| intervention).collect()
}

type Scored = (Intervention, f64);

impl Case<'_> {
    fn callbacks(&self) -> Vec<Scored> {
        let callbacks = &self.survey.callbacks;
        let mut list: Vec<Scored> = callbacks
            .iter()
            .map(|callback| {
                let pointed = self.share(|finding| passes(finding, callback));
                (Intervention::about("callback", &callback.name), 50.0 + FINDING_SCORE * pointed)
            })
            .collect();
        list.sort_by(|a, b| b.1.total_cmp(&a.1));
        list.truncate(MAX_SINGLE_CALLBACKS);
        if callbacks.len() > 1 {
            list.push((Intervention::plain("callbacks"), 40.0));
        }
        list
    }

    /// The program's own growing containers; those of callbacks come after the callbacks themselves.
    fn containers(&self) -> Vec<Scored> {
        let of_callback = |path: &str| {
            self.survey.callbacks.iter().any(|callback| path.starts_with(&format!("{}.", callback.name)))
        };
        let worth = |path: &String| {
            let base = if of_callback(path) { 30.0 } else { 60.0 };
            let held = self.share(|finding| finding.holder.as_ref().is_some_and(|h| is_same(&h.path, path)));
            (Intervention::about("bounded", path), base + FINDING_SCORE * held)
        };
        let mut paths = self.survey.grown.clone();
        // The census sees more containers than the survey.
        for holder in self.report.findings.iter().filter_map(|finding| finding.holder.as_ref()) {
            let known = paths.iter().any(|path| is_same(&holder.path, path));
            if let Some(name) = container(holder).filter(|_| !known) {
                paths.push(name);
            }
        }
        let mut list: Vec<Scored> = paths.iter().map(worth).collect();
        list.sort_by(|a, b| b.1.total_cmp(&a.1));
        list.truncate(MAX_CONTAINERS);
        list
    }

    /// What findings need not suggest: of no framework, and of each.
    fn general(&self, packs: Packs) -> Vec<Scored> {
        let mut all: Vec<&Advice> = packs.iter().flat_map(|pack| pack.advice).chain(&GENERAL).collect();
        all.sort_by_key(|advice| advice.rank);
        let score = |worth: Worth| worth.base + FINDING_SCORE * worth.pointed;
        all.into_iter()
            .filter_map(|advice| Some((Intervention::plain(advice.name), score((advice.worth)(self)?))))
            .collect()
    }
}

/// Advice for any Python.
static GENERAL: [Advice; 4] = [
    Advice {
        rank: 40,
        name: "gc",
        worth: |case| Some(Worth::plain(if case.survey.collector_off { 2.5 * FINDING_SCORE } else { 20.0 })),
    },
    Advice { rank: 140, name: "cpu-only", worth: |case| case.survey.seen.gpu.then_some(Worth::plain(12.0)) },
    // They change the allocator's free memory, which is no part of the growth where the allocator reports its own use.
    Advice { rank: 150, name: "one-arena", worth: |case| is_bare(case).then_some(Worth::plain(35.0)) },
    Advice { rank: 160, name: "malloc-trim", worth: |case| is_bare(case).then_some(Worth::plain(33.0)) },
];

/// Whether the growth is of all anonymous memory: the allocator does not report its own use.
fn is_bare(case: &Case<'_>) -> bool {
    case.report.growth.as_ref().is_some_and(|growth| growth.basis == "anonymous")
}

/// Whether the memory was made below a method of this callback, or the callback holds it.
fn passes(finding: &Finding, callback: &Callback) -> bool {
    if finding.holder.as_ref().is_some_and(|holder| holder.owner == callback.name) {
        return true;
    }
    let Some((file, first, last)) = &callback.span else { return false };
    let inside =
        |at: &str, line: u32| file.ends_with(at) && !at.is_empty() && (*first..=*last).contains(&line);
    finding.stack.iter().any(|frame| inside(&frame.file, frame.line))
        || finding.sites.iter().any(|site| inside(&site.file, site.line))
}

/// Whether a holder's path, `fit(): callbacks[0].saved[*].loss`, and a name, `Keeps.saved`, end in the same
/// container.
fn is_same(holder: &str, name: &str) -> bool {
    let [holder, name] = [holder, name].map(|path| last(HolderPath::of(path)));
    !holder.is_empty() && holder == name
}

/// The interventions' name of the growing container, if its path gives one.
fn container(holder: &Holder) -> Option<String> {
    let (path, inside) = HolderPath::of(&holder.path).outermost()?;
    let name = last(path);
    // Such names belong to nobody who could bound them; frameworks' containers have interventions of their
    // own.
    let own = !name.is_empty() && !name.starts_with('_') && holder.role.as_deref() != Some("closure");
    match path.root() {
        _ if !own => None,
        Root::Function { name: function, variable } if path.is_local() => {
            Some(format!("{function}():{variable}"))
        }
        _ if path.is_main() && path.steps().count() == 1 => Some(path.to_string()),
        _ => (inside.is_empty() && !holder.owner.is_empty()).then(|| format!("{}.{name}", holder.owner)),
    }
}

/// The last name of a path up to the growing container; empty if only words of ours say what that is.
fn last(path: HolderPath<'_>) -> &str {
    let path = path.outermost().map_or(path, |(container, _)| container);
    match path.steps().filter(|step| !step.is_element()).last() {
        None | Some(Step::Attribute(_) | Step::Local(_)) => path.last_name(),
        Some(_) => "",
    }
}

#[cfg(test)]
mod tests {
    use nilometer_diagnose::Holder;

    use super::{container, is_same};

    #[test]
    fn containers_are_the_same_by_their_last_name() {
        assert!(is_same("fit(): callbacks[0].saved[*]", "Keeps.saved"));
        assert!(is_same("__main__.LOSSES[*]", "__main__.LOSSES"));
        assert!(is_same("train(): seen['a b'][*]", "train():seen"));
        assert!(!is_same("__main__.LOSSES[*]", "Keeps.saved"));
    }

    #[test]
    fn what_is_bounded_is_what_grows_and_not_what_lies_in_it() {
        let called = |owner: &str, path: &str, role: Option<&str>| {
            container(&Holder {
                owner: owner.to_owned(),
                role: role.map(str::to_owned),
                path: path.to_owned(),
                file: None,
                kind: "list".to_owned(),
                elements: String::new(),
                length: None,
                counted_at: None,
                per_cycle: None,
                bound: None,
                share: None,
            })
        };
        assert_eq!(called("", "__main__.rounds[*]", None).as_deref(), Some("__main__.rounds"));
        assert_eq!(
            called("parse", "train(): failures[*].__traceback__ frame local values", None).as_deref(),
            Some("train():failures")
        );
        assert_eq!(
            called("Keeps", "fit(): callbacks[0].saved[*]", Some("callback")).as_deref(),
            Some("Keeps.saved")
        );
        for (owner, path, role) in [
            ("Recorder", "fit(): self.callbacks[*].losses", Some("callback")),
            ("Registry", "tensorflow.python.framework.ops.gradient_registry._registry[*]", None),
            ("read", "read(): rows", Some("closure")),
            ("Robust", "Robust.evaluate._function_cache._primary[*]", None),
            ("", "__main__.seen['a.b'][*]", None),
            ("look", "look.<default maps>[*]", None),
        ] {
            assert_eq!(called(owner, path, role), None, "{path}");
        }
    }
}
