//! What the recorder said about the program itself: its samples, and the stacks, code and modules they refer to.
//!
//! In: a capture, whole or torn. Out: samples in the order of birth, each with its death. Only the newest generation of
//! the program counts: what an earlier one had in memory went when the program replaced itself. What must not happen
//! here: trust in an id; each may be missing, doubled or point anywhere.

use std::collections::HashSet;

use nilometer_capture::{Capture, Record, Sampling, SamplingCount, Source, StackFrame};
use nilometer_model::{CodeFolders, FileOwner};

use crate::evidence;
use crate::lookup::Object;
use crate::sample::Sample;

use super::id_map::ById;
use super::lifetimes::{Lifetimes, Moments};
use crate::source_files;

/// The samples of a recording, for another look at the same one.
#[derive(Debug)]
pub(crate) struct SampleSet {
    samples: Vec<Sample>,
    passed: u64,
}

/// A frame and the node further out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) parent: u64,
    pub(crate) frame: StackFrame,
}

/// A Python function; file and name are text ids.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code {
    pub(crate) file: u64,
    pub(crate) function: u64,
    pub(crate) first_line: u64,
}

/// All that the recorder said in the newest generation.
#[derive(Debug, Default)]
pub(crate) struct Recording<'a> {
    /// In the order of birth; without those that no moment of interest saw.
    pub(crate) samples: Vec<Sample>,
    /// How many those are.
    pub(crate) passed: u64,
    pub(crate) nodes: ById<Node>,
    pub(crate) codes: ById<Code>,
    pub(crate) texts: ById<&'a str>,
    pub(crate) modules: Vec<Object<'a>>,
    objects: ById<&'a str>,
    /// Whose each file of code is, by the id of its name: thousands of stacks have the same few hundred files.
    owners: ById<FileOwner>,
    pub(crate) folders: CodeFolders,
    /// Mean bytes between samples that was asked for.
    pub(crate) asked: Option<u64>,
    /// The last count.
    pub(crate) count: Option<&'a SamplingCount>,
    /// When counts were told, and the coarsest mean of each.
    coarsest_means: Vec<(u64, u64)>,
}

impl<'a> Recording<'a> {
    /// `None` where nothing was recorded. `pid` is the program's, if known; `moments` are those at which it matters what was
    /// alive.
    pub(crate) fn of(capture: &'a Capture, pid: Option<u64>, moments: &Moments) -> Option<Self> {
        let (mut out, pid, begun) = Self::without_samples(capture, pid)?;
        let mut lives = Lifetimes::default();
        capture.each_sample(|stamped| match &stamped.record {
            Record::Sampling(sampling) if stamped.pid == pid && stamped.at_ns >= begun => {
                lives.hear(stamped.at_ns, sampling, moments);
            }
            _ => {}
        });
        (out.samples, out.passed) = lives.told();
        out.passed += evidence::left_out(capture);
        Some(out)
    }

    /// The same recording again, whose samples were read before: that takes long.
    pub(crate) fn again(capture: &'a Capture, pid: Option<u64>, heard: SampleSet) -> Option<Self> {
        let (out, ..) = Self::without_samples(capture, pid)?;
        Some(Self { samples: heard.samples, passed: heard.passed, ..out })
    }

    pub(crate) fn into_heard(self) -> SampleSet {
        SampleSet { samples: self.samples, passed: self.passed }
    }

    /// Beside it the process, and when the newest generation began.
    fn without_samples(capture: &'a Capture, pid: Option<u64>) -> Option<(Self, u32, u64)> {
        let said = || {
            capture.records.iter().filter_map(|stamped| match &stamped.record {
                Record::Sampling(sampling) => Some((stamped, sampling)),
                _ => None,
            })
        };
        let first = said().next()?.0.pid;
        let pid = pid.and_then(|p| u32::try_from(p).ok()).filter(|p| said().any(|(s, _)| s.pid == *p));
        let pid = pid.unwrap_or(first);
        let begins = |(i, (stamped, sampling)): (usize, (&nilometer_capture::Stamped, &Sampling))| {
            (stamped.pid == pid && matches!(sampling, Sampling::Start { .. })).then_some(i)
        };
        let newest = said().enumerate().filter_map(begins).last().unwrap_or(0);
        let mut out = Self { folders: source_files::folders(capture), ..Self::default() };
        let begun = said().nth(newest).map_or(0, |(stamped, _)| stamped.at_ns);
        for (stamped, sampling) in said().skip(newest).filter(|(stamped, _)| stamped.pid == pid) {
            match sampling {
                Sampling::Birth(_) | Sampling::Death { .. } => {}
                Sampling::Start { sample } => out.asked = Some(*sample),
                Sampling::Count(count) => {
                    out.coarsest_means.extend(count.coarsest_mean.map(|mean| (stamped.at_ns, mean)));
                    out.count = Some(count);
                }
                other => out.note(other),
            }
        }
        let files: HashSet<u64> = out.codes.values().map(|code| code.file).collect();
        let of = |file: u64| out.folders.owner_of(out.texts.get(&file).copied().unwrap_or_default());
        out.owners = files.into_iter().map(|file| (file, of(file))).collect();
        Some((out, pid, begun))
    }

    /// The coarsest mean that any sampling had since then, in bytes; 0 where no recorder told it.
    pub(crate) fn coarsest_mean_since(&self, at_ns: u64) -> f64 {
        let since = self.coarsest_means.iter().filter(|(told_ns, _)| *told_ns >= at_ns);
        since.map(|(_, mean)| *mean).max().unwrap_or(0) as f64
    }

    fn note(&mut self, sampling: &'a Sampling<'static>) {
        match sampling {
            Sampling::Module { start, end, bias, path } => {
                self.modules.push(Object { path, bias: *bias, start: *start, end: *end });
            }
            Sampling::Text { id, text } => {
                self.texts.insert(*id, text);
            }
            Sampling::Code { id, file, function, first_line } => {
                self.codes.insert(*id, Code { file: *file, function: *function, first_line: *first_line });
            }
            Sampling::Stack { first, parent, frames } => {
                let (mut id, mut parent) = (*first, *parent);
                for frame in frames.iter() {
                    self.nodes.insert(id, Node { parent, frame: *frame });
                    parent = id;
                    id = id.wrapping_add(1);
                }
            }
            _ => {}
        }
    }

    /// Whose a file of code is, by the id of its name.
    pub(crate) fn owner(&self, file: u64) -> FileOwner {
        self.owners.get(&file).copied().unwrap_or_default()
    }

    /// The frames of a stack, the innermost first.
    pub(crate) fn frames(&self, stack: u64) -> Vec<StackFrame> {
        /// More than any recorder keeps: a damaged capture may make nodes their own ancestors.
        const MAX_STACK_DEPTH: usize = 4096;
        let mut out = Vec::new();
        let mut id = stack;
        while let Some(node) = self.nodes.get(&id) {
            out.push(node.frame);
            if out.len() == MAX_STACK_DEPTH {
                break;
            }
            id = node.parent;
        }
        out
    }

    /// Notes which file each address was mapped from; the last one where several were in turn.
    pub(crate) fn locate(&mut self, addresses: &[u64]) {
        for address in addresses {
            // A return address may lie just behind the code that called.
            let found = self.modules.iter().rev().find(|m| m.start < *address && *address <= m.end);
            self.objects.extend(found.map(|m| (*address, m.path)));
        }
    }

    /// The path of the file that an address was mapped from, once it was located; empty if it is in none.
    pub(crate) fn object(&self, address: u64) -> &'a str {
        self.objects.get(&address).copied().unwrap_or_default()
    }
}

/// Whether it is memory that the counters call live. What a pool has reserved is not in use, the memory of a device is not
/// the process's, and a bare mapping may be address space that nobody touches (a thread's stack).
pub(super) fn is_live(source: Source) -> bool {
    match source {
        Source::Malloc | Source::Python | Source::Pool => true,
        Source::Mapping | Source::Region | Source::Device => false,
    }
}

/// The native addresses among frames, each once.
pub(crate) fn addresses(frames: impl Iterator<Item = StackFrame>) -> Vec<u64> {
    let mut seen = HashSet::new();
    frames
        .filter_map(|frame| match frame {
            StackFrame::Native { address } => Some(address),
            _ => None,
        })
        .filter(|address| seen.insert(*address))
        .collect()
}
