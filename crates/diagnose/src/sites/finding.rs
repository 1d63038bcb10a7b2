//! From a growing site to a finding: where, how much, in which phase, in plain words.
//!
//! In: a site and what is known about it. Out: the finding as the report tells it. What must not happen here: a word
//! about who keeps the memory, which samples don't know, or a change that was not tried.

use std::collections::{BTreeMap, BTreeSet};

use nilometer_model::FileOwner;

use super::attribution::{Line, Place, Step, steps};
use super::{GrowingSite, Sites};
use crate::lookup::{Lookup, Part};
use crate::phases::OWN_WORK;
use crate::report::{Bytes, Finding, Frame, Site};
use crate::sample::Sample;
use crate::source_files::shown;
use crate::told::words::finding as told;

/// The name of the cause: all that is known is the place.
const CAUSE: &str = "growth-at-site";
/// The share of a growth that says what it is made of.
const MIN_MAIN_RATIO: f64 = 0.5;

impl<'a> Sites<'a> {
    pub(crate) fn finding(&self, site: &GrowingSite<'a>, confidence: &'static str) -> Finding {
        let stack = heaviest(site);
        let phase = self.phase(site);
        let rate = Bytes::round(&site.growing.rate);
        let part = self.part(site, stack);
        Finding {
            cause: CAUSE.to_owned(),
            confidence,
            sentence: sentence(&site.place, part.as_deref(), phase),
            holder: None,
            also_held_by: Vec::new(),
            sites: self.site(&site.place, stack, rate.estimate).into_iter().collect(),
            bytes_per_cycle: rate,
            phase: (phase != OWN_WORK).then(|| phase.to_owned()),
            part,
            cycles_seen: site.growing.distinct as u64,
            stack: self.carrying(stack, &site.survivors),
            change: None,
            prove: None,
            process: None,
            device: None,
        }
    }

    /// The place as the report tells it; none for what has neither file nor line.
    pub(super) fn site(&self, place: &Place<'a>, stack: u64, bytes_per_cycle: i64) -> Option<Site> {
        let (file, line, function) = match place {
            Place::Line(line) => {
                let owner = self.recording.folders.owner_of(line.file);
                (shown(line.file, owner, self.folder).to_owned(), line.number, line.function.to_owned())
            }
            Place::Function(function, object) => (base(object).to_owned(), 0, function.clone()),
            Place::Part(_) | Place::Unknown => return None,
        };
        let inside = match place {
            Place::Line(line) => self.inside(line, stack),
            _ => None,
        };
        Some(Site { role: "made_at", file, line, function, bytes_per_cycle, text: None, inside })
    }

    /// What a line calls, folded: `keras predict > … > concatenate`.
    fn inside(&self, line: &Line, stack: u64) -> Option<String> {
        let steps = steps(&self.recording, &self.names, stack);
        let at = steps.iter().position(|s| matches!(s, Step::Python(_, l) if l == line))?;
        let mut called: Vec<&Line> = steps[..at]
            .iter()
            .rev()
            .filter_map(|s| match s {
                Step::Python(FileOwner::Library, line) if !is_wrapping(line) => Some(line),
                _ => None,
            })
            .collect();
        called.dedup_by_key(|l| l.function);
        let first = called.first()?;
        let library = self.recording.folders.package(first.file).unwrap_or_default();
        if first.function == "<module>" {
            return Some(library.to_owned()); // it is being imported
        }
        let last = called.last().filter(|l| l.function != first.function);
        let fold = if called.len() > 2 { " > \u{2026}" } else { "" };
        let last = last.map_or(String::new(), |l| format!("{fold} > {}", short(l.function)));
        Some(format!("{library} {}{last}", short(first.function)))
    }

    /// The phase that most of the growth was born in.
    fn phase(&self, site: &GrowingSite) -> &'a str {
        let mut by_phase: BTreeMap<&str, f64> = BTreeMap::new();
        for sample in &site.survivors {
            *by_phase.entry(self.course.at(sample.born_ns)).or_default() += sample.weight;
        }
        by_phase.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(OWN_WORK, |(phase, _)| phase)
    }

    /// The part of a framework that made the heaviest stack's memory, if it made most of all.
    fn part(&self, site: &GrowingSite<'a>, stack: u64) -> Option<String> {
        let of = |stack: u64| self.trails.get(&stack).and_then(|t| t.part.as_ref()).map(words);
        let part = of(stack)?;
        let by: f64 =
            site.survivors.iter().filter(|s| of(s.stack).as_ref() == Some(&part)).map(|s| s.weight).sum();
        let all: f64 = site.survivors.iter().map(|s| s.weight).sum();
        (by >= MIN_MAIN_RATIO * all).then_some(part)
    }

    /// The stack, with the functions marked that most of these samples were made below: a line may make memory by many stacks, and what only
    /// one of them calls explains no more than its own.
    pub(super) fn carrying(&self, stack: u64, samples: &[Sample]) -> Vec<Frame> {
        let mut frames = self.frames(stack);
        let mut by_stack: BTreeMap<u64, f64> = BTreeMap::new();
        for sample in samples {
            *by_stack.entry(sample.stack).or_default() += sample.weight;
        }
        let all: f64 = by_stack.values().sum();
        let mut below: BTreeMap<(String, String), f64> = BTreeMap::new();
        for (stack, bytes) in by_stack {
            let called = self.frames(stack).into_iter().map(|f| (f.file, f.function));
            for function in called.collect::<BTreeSet<_>>() {
                *below.entry(function).or_default() += bytes;
            }
        }
        for frame in &mut frames {
            let bytes = below.get(&(frame.file.clone(), frame.function.clone()));
            frame.carries = bytes.is_some_and(|bytes| *bytes >= MIN_MAIN_RATIO * all);
        }
        frames
    }

    fn frames(&self, stack: u64) -> Vec<Frame> {
        let steps = steps(&self.recording, &self.names, stack);
        steps.into_iter().map(|step| frame(step, self.folder)).collect()
    }
}

/// A frame as the report tells it.
pub(crate) fn frame(step: Step, folder: Option<&str>) -> Frame {
    match step {
        Step::Python(owner, line) => Frame {
            kind: owner.word(),
            file: shown(line.file, owner, folder).to_owned(),
            line: line.number,
            function: line.function.to_owned(),
            carries: false,
        },
        Step::Native { name, object, .. } => Frame {
            kind: "native",
            file: base(object).to_owned(),
            line: 0,
            function: name.to_owned(),
            carries: false,
        },
        Step::Cut => {
            Frame { kind: "cut", file: String::new(), line: 0, function: String::new(), carries: false }
        }
    }
}

/// A part with its operation, where the words don't hold that yet.
fn words(part: &Part) -> String {
    match &part.op {
        Some(op) if !part.words.contains(op.as_str()) => format!("{} ({op})", part.words),
        _ => part.words.clone(),
    }
}

/// The stack that made most of a site's growth.
fn heaviest(site: &GrowingSite) -> u64 {
    let mut by_stack: BTreeMap<u64, f64> = BTreeMap::new();
    for sample in &site.survivors {
        *by_stack.entry(sample.stack).or_default() += sample.weight;
    }
    by_stack.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(stack, _)| stack)
}

/// Adds the source of each site, where it can be read.
pub(crate) fn add_source(findings: &mut [Finding], folder: Option<&str>, lookup: &mut dyn Lookup) {
    for site in findings.iter_mut().flat_map(|f| &mut f.sites).filter(|s| s.line > 0) {
        let file = match folder {
            Some(folder) if !site.file.starts_with(['/', '<']) => format!("{folder}/{}", site.file),
            _ => site.file.clone(),
        };
        let text = lookup.line(&file, site.line).map(|text| text.trim().to_owned());
        site.text = text.filter(|text| !text.is_empty());
    }
}

fn sentence(place: &Place, part: Option<&str>, phase: &str) -> String {
    match place {
        Place::Line(line) => told::makes(&said(line), phase),
        Place::Part(words) => told::part_grows(part.unwrap_or(words), phase),
        Place::Function(function, object) if function.is_empty() => told::makes(base(object), phase),
        Place::Function(function, object) => told::function_makes(function, base(object), phase),
        Place::Unknown => told::made_somewhere(phase),
    }
}

/// A function as one would say it: without the functions it is defined in.
fn said(line: &Line) -> String {
    let name = line.function.rsplit("<locals>.").next().unwrap_or(line.function);
    match name {
        "<module>" | "" => base(line.file).to_owned(),
        name => name.to_owned(),
    }
}

fn short(function: &str) -> &str {
    function.rsplit('.').next().unwrap_or(function)
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Frames that only shorten tracebacks stand around everything in Keras and TensorFlow.
fn is_wrapping(line: &Line) -> bool {
    line.file.ends_with("traceback_utils.py")
}
