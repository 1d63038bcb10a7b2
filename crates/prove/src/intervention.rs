//! The name of one change: on the command line, in JSON, and in the program's private environment.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::words::intervention as words;

/// One change to a program: a name, and for some its subject, as in `callback:Keeps`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Intervention {
    name: String,
    argument: Option<String>,
}

/// Those that need a subject.
const WITH_SUBJECT: [&str; 2] = ["callback", "bounded"];
/// The program's own replacement, which has no name on the command line.
const PATCHED: &str = "patched";

impl Intervention {
    /// A change without a subject.
    pub fn plain(name: &str) -> Self {
        Self { name: name.to_owned(), argument: None }
    }

    /// A change with a subject.
    pub fn about(name: &str, argument: &str) -> Self {
        Self { name: name.to_owned(), argument: Some(argument.to_owned()) }
    }

    /// The user's own change: the script in this file instead.
    pub fn patched(file: &str) -> Self {
        Self::about(PATCHED, file)
    }

    /// Its name, without the subject.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its subject.
    pub fn argument(&self) -> Option<&str> {
        self.argument.as_deref()
    }

    /// Whether it is the user's own change of the script.
    pub fn is_patched(&self) -> bool {
        self.name == PATCHED
    }

    /// The program with this change, for people: `without callback:Keeps`.
    pub fn words(&self) -> String {
        let argument = self.argument.as_deref().unwrap_or_default();
        if self.is_patched() {
            return format!("with {argument}");
        }
        words::with(&self.name, argument)
    }

    /// Whether trying both would try nothing but this one.
    pub fn covers(&self, other: &Self) -> bool {
        self == other
            || (self.name == "callbacks" && other.name == "callback")
            || (self.name == "purge-graphs" && other.name == "gc")
    }

    /// All names for the command line.
    pub fn names() -> impl Iterator<Item = &'static str> {
        words::WORDS.iter().map(|(name, _)| *name)
    }
}

impl FromStr for Intervention {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, argument) = match text.split_once(':') {
            Some((name, argument)) => (name, Some(argument)),
            None => (text, None),
        };
        let known = Self::names().find(|known| *known == name).map(|name| WITH_SUBJECT.contains(&name));
        match (known, argument.filter(|argument| !argument.is_empty())) {
            (Some(true), Some(argument)) if !argument.contains('\n') => Ok(Self::about(name, argument)),
            (Some(false), None) if argument.is_none() => Ok(Self::plain(name)),
            (Some(true), _) => Err(words::no_subject(name)),
            (Some(false), _) => Err(words::a_subject(name)),
            (None, _) => Err(words::unknown(name, &Self::names().collect::<Vec<_>>())),
        }
    }
}

impl Display for Intervention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.argument {
            Some(argument) => write!(f, "{}:{argument}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl Serialize for Intervention {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn names_go_in_and_out() {
        for text in ["callback:Keeps", "gc", "bounded:train():losses", "callbacks"] {
            assert_eq!(text.parse::<Intervention>().unwrap().to_string(), text);
        }
        for text in ["", "callback", "callback:", "gc:x", "gc:", "nothing", "patched:x.py", "callback:a\nb"] {
            assert!(text.parse::<Intervention>().is_err(), "{text}");
        }
    }

    #[test]
    fn all_callbacks_are_one_callback_and_more() {
        let all = Intervention::plain("callbacks");
        let one = Intervention::about("callback", "A");
        assert!(all.covers(&one) && !one.covers(&all));
        assert!(!one.covers(&Intervention::about("callback", "B")));
    }

    #[test]
    fn words_say_what_the_program_is_with_it() {
        assert_eq!(Intervention::about("callback", "Keeps").words(), "without callback:Keeps");
        assert_eq!(Intervention::patched("fixed.py").words(), "with fixed.py");
    }
}
