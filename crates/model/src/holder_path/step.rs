//! What leads from one object to the next.
//!
//! In: the rest of a path. Out: its first [`Step`]; or a step's text. What must not happen here: a step that is read otherwise than it is
//! written.

use std::fmt;

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'p> {
    /// `.saved`: an attribute.
    Attribute(&'p str),
    /// `['a']`, `[3]`: the element under this key, or at this index.
    Item(&'p str),
    /// `[*]`: any element.
    Each,
    /// `.<key>`: one of the keys.
    Key,
    /// `.<lru cache>`: what an `lru_cache` remembers of the function.
    LruCache,
    /// `.<children per label>`: what a metric has for each set of labels.
    ChildrenPerLabel,
    /// `.<default seen>`: the default value of this argument of the function.
    Default(&'p str),
    /// `.<closure hist>`: this variable of the function's closure.
    Closure(&'p str),
    /// `.<local rows>`: this variable of a generator.
    Suspended(&'p str),
    /// `.<ndarray>`: an object of this type, which its container has no name for.
    Type(&'p str),
    /// ` frame`: the frame of a traceback.
    Frame,
    /// ` local payload`: this variable of a frame.
    Local(&'p str),
    /// What the grammar does not have.
    Unknown(&'p str),
}

const KEY: &str = "key";
const LRU_CACHE: &str = "lru cache";
const CHILDREN_PER_LABEL: &str = "children per label";
const DEFAULT: &str = "default ";
const CLOSURE: &str = "closure ";
const SUSPENDED: &str = "local ";
const FRAME: &str = " frame";
const LOCAL: &str = " local ";

impl<'p> Step<'p> {
    /// Whether it leads from a container to an element: a key, an index, or any.
    pub fn is_element(self) -> bool {
        matches!(self, Self::Item(_) | Self::Each)
    }

    /// The name that the source has for it; empty if there is none.
    pub(super) fn name(self) -> &'p str {
        match self {
            Self::Attribute(name)
            | Self::Default(name)
            | Self::Closure(name)
            | Self::Suspended(name)
            | Self::Local(name) => name,
            _ => "",
        }
    }
}

impl fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attribute(name) => write!(f, ".{name}"),
            Self::Item(key) => write!(f, "[{key}]"),
            Self::Each => f.write_str("[*]"),
            Self::Key => write!(f, ".<{KEY}>"),
            Self::LruCache => write!(f, ".<{LRU_CACHE}>"),
            Self::ChildrenPerLabel => write!(f, ".<{CHILDREN_PER_LABEL}>"),
            Self::Default(name) => write!(f, ".<{DEFAULT}{name}>"),
            Self::Closure(name) => write!(f, ".<{CLOSURE}{name}>"),
            Self::Suspended(name) => write!(f, ".<{SUSPENDED}{name}>"),
            Self::Type(name) => write!(f, ".<{name}>"),
            Self::Frame => f.write_str(FRAME),
            Self::Local(name) => write!(f, "{LOCAL}{name}"),
            Self::Unknown(text) => f.write_str(text),
        }
    }
}

/// The first step and its length in bytes.
pub(super) fn read<'p>(rest: &'p str) -> Option<(Step<'p>, usize)> {
    let mut letters = rest.chars();
    let first = letters.next()?;
    let behind = letters.as_str();
    let named = |step: fn(&'p str) -> Step<'p>, from: &'p str| {
        let name = word(from);
        (step(name), rest.len() - from.len() + name.len())
    };
    Some(match first {
        '[' => element(behind),
        '.' if behind.starts_with('<') => {
            let words = in_angles(behind);
            (unnamed(words), 1 + words.len())
        }
        '.' => named(Step::Attribute, behind),
        ' ' => match rest.strip_prefix(LOCAL) {
            Some(name) => named(Step::Local, name),
            None if rest.strip_prefix(FRAME).is_some_and(ends_here) => (Step::Frame, FRAME.len()),
            None => unknown(rest, first),
        },
        _ => unknown(rest, first),
    })
}

fn unknown(rest: &str, first: char) -> (Step<'_>, usize) {
    let bytes = first.len_utf8();
    let end = bytes + word(rest.get(bytes..).unwrap_or_default()).len();
    (Step::Unknown(rest.get(..end).unwrap_or(rest)), end)
}

/// From behind an opening bracket to the closing one; to the end if there is none.
fn element(behind: &str) -> (Step<'_>, usize) {
    let (mut depth, mut quote, mut is_hidden) = (1_usize, None, false);
    for (at, letter) in behind.char_indices() {
        match (quote, letter) {
            (Some(_), _) if is_hidden => is_hidden = false,
            (Some(_), '\\') => is_hidden = true,
            (Some(end), _) if end == letter => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, '[') => depth += 1,
            (None, ']') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let key = behind.get(..at).unwrap_or_default();
            return (if key == "*" { Step::Each } else { Step::Item(key) }, at + 2);
        }
    }
    (Step::Item(behind), 1 + behind.len())
}

/// What stands in angle brackets, with these; to the end if they are not closed.
pub(super) fn in_angles(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return text.get(..=at).unwrap_or(text);
        }
    }
    text
}

fn unnamed<'p>(words: &'p str) -> Step<'p> {
    let inside = words.get(1..).map_or("", |words| words.strip_suffix('>').unwrap_or(words));
    let named = |kind: &str, step: fn(&'p str) -> Step<'p>| inside.strip_prefix(kind).map(step);
    match inside {
        KEY => Step::Key,
        LRU_CACHE => Step::LruCache,
        CHILDREN_PER_LABEL => Step::ChildrenPerLabel,
        _ => named(DEFAULT, Step::Default)
            .or_else(|| named(CLOSURE, Step::Closure))
            .or_else(|| named(SUSPENDED, Step::Suspended))
            .unwrap_or(Step::Type(inside)),
    }
}

/// Up to what begins the next step.
pub(super) fn word(text: &str) -> &str {
    text.split(SEPARATORS).next().unwrap_or_default()
}

fn ends_here(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(SEPARATORS)
}

const SEPARATORS: [char; 3] = ['.', '[', ' '];
