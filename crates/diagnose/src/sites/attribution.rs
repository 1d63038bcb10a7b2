//! A stack as people read it: who in the user's code, through which library, into which part of the framework.
//!
//! In: a stack's frames, and names where they are known. Out: the site it belongs to. What must not happen here: a site
//! guessed where frames are missing; a stack that tells nothing has the site that says so.

use nilometer_capture::StackFrame;
use nilometer_model::FileOwner;

use super::id_map::ById;
use super::recording::Recording;
use crate::lookup::{Lookup, Name, Part};

/// A line of Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Line<'a> {
    pub(crate) file: &'a str,
    pub(crate) number: u32,
    pub(crate) function: &'a str,
}

/// Where memory was made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Place<'a> {
    /// A line of Python: the user's where one is on the stack.
    Line(Line<'a>),
    /// A part of a framework, in words, with no Python on the stack.
    Part(String),
    /// A function in machine code and its object file.
    Function(String, String),
    /// The stack tells nothing.
    Unknown,
}

/// One frame for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<'n, 'a> {
    Python(FileOwner, Line<'a>),
    /// `name` is empty where none is known.
    Native {
        name: &'n str,
        object: &'a str,
        plumbing: bool,
    },
    Cut,
}

/// A stack, read.
#[derive(Clone, Debug)]
pub(crate) struct Attribution<'a> {
    pub(crate) place: Place<'a>,
    /// The innermost line of a library below the user's, where the site is a line.
    pub(crate) library: Option<Line<'a>>,
    /// The part of a framework the innermost native frames belong to.
    pub(crate) part: Option<Part>,
    /// The user's line runs inside of a library's call, or does the work itself: it is not just the call of a training loop.
    pub(crate) direct: bool,
}

impl Attribution<'_> {
    /// Whether the memory is an array's of `NumPy`.
    pub(crate) fn is_array(&self) -> bool {
        self.part.as_ref().is_some_and(|part| part.words.starts_with(ARRAY))
    }
}

/// How the part is called that makes the memory of arrays.
const ARRAY: &str = "NumPy array";

/// The frames of a stack with what is known about each, the innermost first; ours are left out.
pub(crate) fn steps<'n, 'a>(
    recording: &Recording<'a>,
    names: &'n ById<Name>,
    stack: u64,
) -> Vec<Step<'n, 'a>> {
    let step = |frame: StackFrame| match frame {
        StackFrame::Native { address } => {
            let (object, name) = (recording.object(address), names.get(&address));
            Some(Step::Native {
                name: name.map_or("", |n| n.short.as_str()),
                object,
                plumbing: name.is_some_and(|n| n.plumbing),
            })
        }
        StackFrame::Python { code, line } => python(recording, code, line),
        StackFrame::Cut(_) => Some(Step::Cut),
    };
    recording.frames(stack).into_iter().filter_map(step).collect()
}

/// What a frame of Python says; nothing where it is ours.
fn python<'n, 'a>(recording: &Recording<'a>, code: u64, line: u32) -> Option<Step<'n, 'a>> {
    let text = |id: u64| recording.texts.get(&id).copied().unwrap_or_default();
    let Some(code) = recording.codes.get(&code) else { return Some(Step::Cut) };
    let line = if line == 0 { u32::try_from(code.first_line).unwrap_or(0) } else { line };
    let line = Line { file: text(code.file), number: line, function: text(code.function) };
    // Code whose text was lost is no line of anybody's.
    let owner = recording.owner(code.file);
    (owner != FileOwner::Ours).then_some(if line.file.is_empty() {
        Step::Cut
    } else {
        Step::Python(owner, line)
    })
}

/// Whether a line of Python is among the frames, so that the place needs no name of a function in machine code.
pub(crate) fn has_line(recording: &Recording, frames: &[StackFrame]) -> bool {
    frames.iter().any(|frame| match *frame {
        StackFrame::Python { code, line } => {
            matches!(python(recording, code, line), Some(Step::Python(..)))
        }
        _ => false,
    })
}

/// Reads a stack.
pub(crate) fn trail<'a>(
    recording: &Recording<'a>,
    names: &ById<Name>,
    lookup: &mut dyn Lookup,
    stack: u64,
) -> Attribution<'a> {
    let steps = steps(recording, names, stack);
    let python: Vec<(FileOwner, Line)> = steps
        .iter()
        .filter_map(|s| match s {
            Step::Python(owner, line) => Some((*owner, *line)),
            _ => None,
        })
        .collect();
    let part = part(recording, names, lookup, stack);
    let innermost = |owner| python.iter().position(|(of, _)| *of == owner);
    let user = innermost(FileOwner::User);
    let at = user.or_else(|| innermost(FileOwner::Library)).or_else(|| innermost(FileOwner::Python));
    let Some(at) = at else {
        let place = native_place(&steps, part.as_ref());
        return Attribution { place, library: None, part, direct: false };
    };
    let (inner, outer) = (&python[..at], &python[at + 1..]);
    let called = |lines: &[(FileOwner, Line)]| lines.iter().any(|(of, _)| *of == FileOwner::Library);
    Attribution {
        place: Place::Line(python[at].1),
        library: inner
            .iter()
            .find(|(of, _)| *of == FileOwner::Library)
            .or(inner.first())
            .map(|(_, line)| *line),
        direct: user.is_some() && (!called(inner) || called(outer)),
        part,
    }
}

fn native_place<'a>(steps: &[Step<'_, 'a>], part: Option<&Part>) -> Place<'a> {
    if let Some(part) = part {
        return Place::Part(part.words.clone());
    }
    let native = |wanted: fn(&str, bool) -> bool| {
        steps.iter().find_map(|s| match s {
            Step::Native { name, object, plumbing } if wanted(name, *plumbing) => {
                Some(((*name).to_owned(), (*object).to_owned()))
            }
            _ => None,
        })
    };
    let named = native(|name, plumbing| !name.is_empty() && !plumbing);
    // Without a name, its file says at least whose it is; the C library is on every stack.
    let known = named.or_else(|| {
        steps.iter().find_map(|s| match s {
            Step::Native { object, .. } if !object.is_empty() && !is_libc(object) => {
                Some((String::new(), (*object).to_owned()))
            }
            _ => None,
        })
    });
    known.map_or(Place::Unknown, |(function, object)| Place::Function(function, object))
}

fn is_libc(object: &str) -> bool {
    let name = object.rsplit('/').next().unwrap_or(object);
    ["libc.so", "libc-", "libstdc++.", "ld-linux", "libpthread", "libnilometer", "_recorder"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// The part that the native frames further in than any Python belong to.
fn part(recording: &Recording, names: &ById<Name>, lookup: &mut dyn Lookup, stack: u64) -> Option<Part> {
    let frames = recording.frames(stack);
    let inner = frames.iter().take_while(|f| !matches!(f, StackFrame::Python { .. }));
    let native: Vec<(&str, &str)> = inner
        .filter_map(|frame| match frame {
            StackFrame::Native { address } => {
                let object = recording.object(*address);
                Some((names.get(address).map_or("", |n| n.full.as_str()), object))
            }
            _ => None,
        })
        .collect();
    if native.is_empty() { None } else { lookup.part(&native) }
}
