//! The file for the node exporter's textfile collector.
//!
//! In: text. Out: the file, always whole: written beside and renamed. The name beside does not end in `.prom`, so that no collector
//! reads it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// Puts the text in the file's place.
pub(super) fn put(path: &Path, text: &str) -> io::Result<()> {
    let beside = beside(path);
    let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        // It may never have been there.
        std::fs::remove_file(&beside).unwrap_or_default();
    }
    written
}

/// `.NAME.PID.new` in the same folder, which is the same file system.
fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.new", std::process::id()));
    path.with_file_name(name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn a_reader_never_sees_a_part_and_nothing_is_left_beside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("n.prom");
        let texts = ["a\n".repeat(50_000), "b\n".repeat(70_000)];
        put(&path, &texts[0]).unwrap();
        let writer = std::thread::spawn({
            let (path, texts) = (path.clone(), texts.clone());
            move || (0..200).for_each(|i| put(&path, &texts[i % 2]).unwrap())
        });
        while !writer.is_finished() {
            let seen = std::fs::read_to_string(&path).unwrap();
            assert!(texts.contains(&seen), "{} bytes", seen.len());
        }
        writer.join().unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        assert!(put(&folder.path().join("no/n.prom"), "x").is_err());
        std::fs::create_dir(folder.path().join("n.prom")).unwrap();
        assert!(put(&folder.path().join("n.prom"), "x").is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
