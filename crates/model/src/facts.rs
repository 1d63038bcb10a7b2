//! The facts of a capture that say where code lies, so that a report made elsewhere judges alike.
//!
//! In: [`CodeFolders`], or facts. Out: facts, or [`CodeFolders`]. What must not happen here: a fact that one side writes and the
//! other does not read.

use crate::CodeFolders;
use crate::package::packages;

/// The packages that `--own` names. It may come more than once: all of them count.
pub const OWN_FACT: &str = "code.own";
const STANDARD_FACT: &str = "code.standard";
const OURS_FACT: &str = "code.nilometer";
/// In front of a framework's name; the value is its folder.
const FRAMEWORK_FACT: &str = "code.framework.";

impl CodeFolders {
    /// What a capture must hold.
    pub fn facts(&self) -> Vec<(String, String)> {
        let fixed = [
            (STANDARD_FACT, self.standard.clone()),
            (OURS_FACT, self.ours.clone()),
            (OWN_FACT, self.own.join(",")),
        ];
        let fixed = fixed.into_iter().filter(|(_, value)| !value.is_empty());
        let mut facts: Vec<_> = fixed.map(|(key, value)| (key.to_owned(), value)).collect();
        facts.extend(self.frameworks.iter().map(|(name, folder)| framework_fact(name, folder)));
        facts
    }

    /// What the facts of a capture say.
    pub fn of_facts<'f>(facts: impl Iterator<Item = (&'f str, &'f str)>) -> Self {
        let mut folders = Self::default();
        for (key, value) in facts {
            match key {
                STANDARD_FACT => value.clone_into(&mut folders.standard),
                OURS_FACT => value.clone_into(&mut folders.ours),
                OWN_FACT => {
                    let new = packages(value).filter(|name| !folders.own.contains(name)).collect::<Vec<_>>();
                    folders.own.extend(new);
                }
                _ => {
                    if let Some(name) = key.strip_prefix(FRAMEWORK_FACT) {
                        folders.add(name, value);
                    }
                }
            }
        }
        folders
    }
}

/// The fact of a framework that lies outside of the folder for packages.
pub fn framework_fact(name: &str, folder: &str) -> (String, String) {
    (format!("{FRAMEWORK_FACT}{name}"), folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut folders = CodeFolders {
            standard: "/usr/lib/python3.11".to_owned(),
            ours: "/v/nilometer".to_owned(),
            own: vec!["acme_train".to_owned(), "acme.data".to_owned()],
            ..CodeFolders::default()
        };
        folders.add("keras", "/opt/keras/keras");
        let facts = folders.facts();
        let read = CodeFolders::of_facts(facts.iter().map(|(key, value)| (key.as_str(), value.as_str())));
        assert_eq!(read, folders);
        assert!(CodeFolders::default().facts().is_empty());
    }

    #[test]
    fn a_reader_may_own_more_than_the_recording_said() {
        let facts = [(OWN_FACT, "acme_train"), ("argv", "[]"), (OWN_FACT, "acme_train,acme-data")];
        assert_eq!(CodeFolders::of_facts(facts.into_iter()).own, ["acme_train", "acme_data"]);
    }
}
