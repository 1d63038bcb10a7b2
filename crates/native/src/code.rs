//! Whose code lies where in this process: the rule of `nilometer-model`, with what this process knows.
//!
//! In: the folders that Python tells, the modules that were imported. Out: whether a file is the user's; the facts of a capture.
//! What must not happen here: a wait. Whoever finds the lock taken (after a fork in C, nobody gives it back) is answered as if
//! nothing were known.

use std::sync::Mutex;

use nilometer_model::{CodeFolders, framework_fact, packages};

type Fact = (String, String);

static FOLDERS: Mutex<Option<CodeFolders>> = Mutex::new(None);

fn with<T>(work: impl FnOnce(&mut CodeFolders) -> T) -> Option<T> {
    let mut folders = FOLDERS.try_lock().ok()?;
    Some(work(folders.get_or_insert_default()))
}

/// Takes in the folders of the standard library and of this package, and the packages that are the user's own, as a list.
pub(crate) fn know(standard: String, ours: String, own: &str) -> Vec<Fact> {
    with(|folders| {
        (folders.standard, folders.ours, folders.own) = (standard, ours, packages(own).collect());
        folders.facts()
    })
    .unwrap_or_default()
}

/// Takes in where a module was imported from; a fact, if it is a framework outside of the folder for packages.
pub(crate) fn learn(module: &str, file: &str) -> Option<Fact> {
    with(|folders| folders.learn(module, file))?.map(|folder| framework_fact(module, &folder))
}

/// Whether a file is the user's.
pub(crate) fn is_users(file: &str) -> bool {
    with(|folders| folders.is_users(file)).unwrap_or_else(|| CodeFolders::default().is_users(file))
}

/// Packages that are the user's own although they are installed.
pub(crate) fn own() -> Vec<String> {
    with(|folders| folders.own.clone()).unwrap_or_default()
}

/// All that is known, for the capture of a process that was forked.
pub(crate) fn facts() -> Vec<Fact> {
    with(|folders| folders.facts()).unwrap_or_default()
}
