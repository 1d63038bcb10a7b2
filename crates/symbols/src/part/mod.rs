//! Which part of a framework, Python or a library a native stack belongs to, in words that its user knows.
//!
//! In: the full names of a stack's native frames and their object files. Out: words, and the op if a kernel
//! runs. Every frame is compared with the table. What the memory *is* counts most, then the work it was made
//! for, then the op that ran, then the surroundings. Among equals the frame nearest to the allocation wins.
//! What must not happen here: a guess; a stack without an entry has no part.

mod pack;
mod pattern;
mod table;

pub use pack::{OpOf, Pack, Packs, Rank, Rule, around, thing, work};

use crate::short;
use pattern::Pattern;
use std::borrow::Cow;
use std::collections::HashMap;
use table::{LIBRARIES, RULES};

/// A part, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// For people, e.g. `tf.data: shuffle buffer` or `op MatMul (kernel)`.
    pub words: String,
    /// The op whose kernel ran nearest to the allocation, e.g. `MatMul`. A kernel that serves several ops
    /// gives their family in lower case, e.g. `convolution`.
    pub op: Option<String>,
}

/// The part that a stack belongs to; `frames` are (full name, path of the object), innermost first. A frame
/// without a name has an empty one. For many stacks use [`Parts`].
pub fn part(frames: &[(&str, &str)], packs: Packs) -> Option<Part> {
    Parts::new(packs).part(frames)
}

/// Finds parts, and caches the facts of each name: stacks share most of their names.
#[derive(Debug)]
pub struct Parts {
    rules: Vec<(Pattern, &'static Rule)>,
    packs: Packs,
    known: HashMap<String, NameFacts>,
}

/// The facts of one name.
#[derive(Debug, Default, Clone)]
struct NameFacts {
    best: Option<(Rank, Cow<'static, str>)>,
    op: Option<String>,
}

impl Parts {
    /// Parts of these frameworks, and of none.
    pub fn new(packs: Packs) -> Self {
        let all = packs.iter().flat_map(|pack| pack.rules).chain(RULES);
        let rules = all.map(|rule| (Pattern::new(rule.frame), rule)).collect();
        Self { rules, packs, known: HashMap::new() }
    }

    /// Like [`part`].
    pub fn part(&mut self, frames: &[(&str, &str)]) -> Option<Part> {
        let mut best: Option<(Rank, Cow<'static, str>)> = None;
        let mut op: Option<String> = None;
        for (name, object) in frames {
            let known = self.known(name);
            if op.is_none() {
                op.clone_from(&known.op);
            }
            let library = || Some((Rank::Library, Cow::Borrowed(library(object)?)));
            let Some((rank, words)) = known.best.clone().or_else(library) else { continue };
            if best.as_ref().is_none_or(|(so_far, _)| rank < *so_far) {
                best = Some((rank, words));
            }
        }
        best.map(|(_, words)| Part { words: words.into_owned(), op })
    }

    fn known(&mut self, name: &str) -> &NameFacts {
        // Not the entry API: it would copy the name each time, and names are long.
        if !self.known.contains_key(name) {
            self.known.insert(name.to_owned(), self.know(name));
        }
        self.known.get(name).unwrap_or(const { &NameFacts { best: None, op: None } })
    }

    fn know(&self, name: &str) -> NameFacts {
        let path = short::path(name);
        let op = self.packs.iter().filter_map(|pack| pack.op).find_map(|op| op(name, &path));
        // `min_by_key` takes the first of equals: the one higher up in the table.
        let fits = self.rules.iter().filter(|(pattern, _)| pattern.matches(&path)).map(|(_, rule)| rule);
        let rule = fits.min_by_key(|rule| rule.rank);
        let by_rule = rule.map(|rule| (rule.rank, Cow::Borrowed(rule.words)));
        let by_op = op.as_ref().map(|op| (Rank::Op, Cow::Owned(format!("op {op} (kernel)"))));
        let best = match (by_rule, by_op) {
            (Some(rule), Some(op)) => Some(if op.0 < rule.0 { op } else { rule }),
            (rule, op) => rule.or(op),
        };
        NameFacts { best, op }
    }
}

fn library(object: &str) -> Option<&'static str> {
    let file = object.rsplit('/').next().unwrap_or(object);
    LIBRARIES.iter().find(|library| file.starts_with(library.file)).map(|library| library.words)
}
