//! Whose code lies where in the recorded process, and how its files are called on the screen.
//!
//! In: the facts of a capture, file names as code objects carry them. Out: the rule for this process, names as one would type them.
//! What must not happen here: another rule than that of `nilometer-model`.

use nilometer_capture::{Capture, Record};
use nilometer_model::{CodeFolders, FileOwner, installed};

/// The rule for the process that made this capture.
pub(crate) fn folders(capture: &Capture) -> CodeFolders {
    CodeFolders::of_facts(capture.records.iter().filter_map(|stamped| match &stamped.record {
        Record::Fact { key, value } => Some((key.as_str(), value.as_str())),
        _ => None,
    }))
}

/// The file as one would type it: from the folder the program was started in, or what others wrote from the packages' folder.
pub(crate) fn shown<'a>(file: &'a str, owner: FileOwner, cwd: Option<&str>) -> &'a str {
    if let Some(rest) = installed(file).filter(|_| owner != FileOwner::User) {
        return rest;
    }
    let inside = cwd.and_then(|cwd| file.strip_prefix(cwd.trim_end_matches('/'))?.strip_prefix('/'));
    inside.unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_shown_as_one_would_type_them() {
        let users = |file, cwd| shown(file, FileOwner::User, cwd);
        assert_eq!(users("/home/me/job/train.py", Some("/home/me/job")), "train.py");
        assert_eq!(users("/home/me/jobs/train.py", Some("/home/me/job")), "/home/me/jobs/train.py");
        let installed = "/v/lib/python3.11/site-packages/keras/src/a.py";
        assert_eq!(shown(installed, FileOwner::Library, None), "keras/src/a.py");
        // Who may change it wants to open it.
        assert_eq!(users(installed, Some("/home/me/job")), installed);
        assert_eq!(users(installed, Some("/v/")), "lib/python3.11/site-packages/keras/src/a.py");
    }
}
