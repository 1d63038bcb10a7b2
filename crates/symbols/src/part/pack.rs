//! What a framework tells of its native code: a [`Pack`] of rules, which the framework's own folder fills.
//!
//! If two rules match a frame, the higher one counts, so special ones come first; those of packs come before those of none. `why` is for
//! the person who changes a rule: the fact in the frame's code that makes the words true.

/// How much a frame says about the memory below it; the smaller rank wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// What the memory is.
    Thing,
    /// The work that the memory was made for.
    Work,
    /// The op whose kernel was running.
    Op,
    /// What went on around it.
    Around,
    /// Only whose code it was.
    Library,
}

/// One entry.
#[derive(Debug)]
pub struct Rule {
    /// How much it says.
    pub rank: Rank,
    /// Names in a row, with `*` at their ends; `^` before them if a path must begin so.
    pub frame: &'static str,
    /// For people.
    pub words: &'static str,
    /// Why that is certain.
    pub why: &'static str,
}

/// All that is known of one framework's native code.
#[derive(Debug)]
pub struct Pack {
    /// Which frames mean what.
    pub rules: &'static [Rule],
    /// The op whose kernel a frame is.
    pub op: Option<OpOf>,
}

/// The op of a frame, by its full name and the names that lead to it.
pub type OpOf = fn(&str, &[String]) -> Option<String>;

/// The packs that parts are found with.
pub type Packs = &'static [&'static Pack];

/// A rule of what memory is.
pub const fn thing(frame: &'static str, words: &'static str, why: &'static str) -> Rule {
    Rule { rank: Rank::Thing, frame, words, why }
}

/// A rule of the work that it was made for.
pub const fn work(frame: &'static str, words: &'static str, why: &'static str) -> Rule {
    Rule { rank: Rank::Work, frame, words, why }
}

/// A rule of what went on around.
pub const fn around(frame: &'static str, words: &'static str, why: &'static str) -> Rule {
    Rule { rank: Rank::Around, frame, words, why }
}
