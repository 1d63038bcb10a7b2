//! The order of experiments: first those that findings suggest, then general advice, cheap ones first.
//!
//! In: the report of the first run, and the survey of the program. Out: interventions in order; each of them
//! has something to change in this program.

use nilometer_diagnose::{Finding, Holder, Report};
use nilometer_model::{HolderPath, Root, Step};

use crate::intervention::Intervention;
use crate::survey::{Callback, Survey};

/// Score of a finding that suggests the intervention: above anything of the general list.
const FINDING_SCORE: f64 = 100.0;
/// Callbacks that are tried one by one at most; all of them are also tried together.
const MAX_SINGLE_CALLBACKS: usize = 6;
/// Containers that are tried at most.
const MAX_CONTAINERS: usize = 6;

/// Framework files that call the program's own data code.
const LOADERS: [&str; 4] = ["script_ops", "data_adapter", "dataset_ops", "data_utils"];

/// The experiments worth making, in order.
pub fn checklist(report: &Report, survey: &Survey) -> Vec<Intervention> {
    let evidence = Evidence { report, survey };
    let mut list = evidence.callbacks();
    list.extend(evidence.containers());
    list.extend(evidence.general());
    // Stable: equal scores keep the order of the list.
    list.sort_by(|a, b| b.1.total_cmp(&a.1));
    list.into_iter().map(|(intervention, _)| intervention).collect()
}

struct Evidence<'a> {
    report: &'a Report,
    survey: &'a Survey,
}

type Scored = (Intervention, f64);

impl Evidence<'_> {
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

    fn general(&self) -> Vec<Scored> {
        let survey = self.survey;
        let seen = survey.seen;
        let per_model = seen.models >= 3 && 2 * seen.models >= self.report.cycles.count;
        let calls = seen.calls > 0;
        let epochs = matches!(self.report.cycles.unit, "epoch" | "fit");
        let uses = |name: &str| self.report.program.frameworks.keys().any(|known| known.starts_with(name));
        let tensorflow = uses("tensorflow");
        let bare = self.report.growth.as_ref().is_some_and(|growth| growth.basis == "anonymous");
        let in_phase = |name: &'static str| move |f: &Finding| f.phase.as_deref() == Some(name);
        let part = |words: &'static [&'static str]| {
            move |f: &Finding| {
                let said = f.part.as_deref().unwrap_or_default().to_lowercase();
                words.iter().any(|word| said.contains(word))
            }
        };
        let through = |words: &'static [&'static str]| {
            move |f: &Finding| f.stack.iter().any(|frame| words.iter().any(|word| frame.file.contains(word)))
        };
        let graphs = self.share(part(&["graph", "kernel", "function", "gradient"]));
        let traced = self.share(in_phase("trace"));
        let because = |words: &[&str]| {
            let said = |why: &str| words.iter().any(|word| why.contains(word));
            // What stands in for arguments is TensorFlow's.
            f64::from(u8::from(tensorflow && self.report.retraced.iter().any(|function| said(&function.why))))
        };
        let numbers = because(&["(a Python float)", "(a Python int)"]);
        let shapes = because(&["had shape"]);
        // If the report says why functions were traced again, other reasons need no trial.
        let explained = !self.report.retraced.is_empty();
        let unexplained = calls && !explained;
        let otherwise = f64::from(u8::from(explained && numbers.max(shapes) == 0.0));
        [
            ("validation", survey.validates, 36.0, self.share(in_phase("validation"))),
            ("repeated-batch", survey.streams, 38.0, self.share(through(&LOADERS))),
            ("plain-pipeline", survey.buffers, 34.0, self.share(part(&["cache", "shuffle", "prefetch"]))),
            ("gc", true, if survey.collector_off { 2.5 * FINDING_SCORE } else { 20.0 }, 0.0),
            ("purge-graphs", tensorflow, if per_model { 90.0 } else { 28.0 }, graphs.max(0.5 * traced)),
            (
                "fixed-shape",
                tensorflow && ((!epochs && !explained) || shapes > 0.0),
                29.0,
                traced.max(shapes),
            ),
            ("tensor-scalars", unexplained || numbers > 0.0, 27.0, traced.max(numbers)),
            ("relaxed-shapes", unexplained || shapes > 0.0, 26.0, traced.max(0.5 * shapes)),
            ("clear-session", per_model, 25.0, 0.0),
            ("workers-0", survey.workers, 24.0, 0.0),
            ("no-onednn", tensorflow, 15.0, self.share(part(&["onednn", "primitive"]))),
            ("graph", survey.eager, 16.0, 0.0),
            ("eager", tensorflow && !survey.eager, 14.0, otherwise.max(0.5 * traced)),
            ("cpu-only", seen.gpu, 12.0, 0.0),
            // They change the allocator's free memory, which is no part of the growth where the allocator
            // reports its own use.
            ("one-arena", bare, 35.0, 0.0),
            ("malloc-trim", bare, 33.0, 0.0),
        ]
        .into_iter()
        .filter(|(_, applies, ..)| *applies)
        .map(|(name, _, base, pointed)| (Intervention::plain(name), base + FINDING_SCORE * pointed))
        .collect()
    }

    /// The share of the growth in findings of a kind; 0 to 1.
    fn share(&self, is_of: impl Fn(&Finding) -> bool) -> f64 {
        let findings = &self.report.findings;
        let bytes = |finding: &Finding| finding.bytes_per_cycle.estimate.max(0) as f64;
        let all: f64 = findings.iter().map(bytes).sum();
        let of_kind: f64 = findings.iter().filter(|finding| is_of(finding)).map(bytes).sum();
        if all > 0.0 { of_kind / all } else { 0.0 }
    }
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
