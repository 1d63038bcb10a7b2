//! Which captures a status is about.
//!
//! In: a process id, a folder, a capture, or nothing. Out: paths of captures, each once. What must not happen here: a look at
//! processes of other users, or a capture left out because another one cannot be read.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nilometer_host::tree;

use crate::census::{capture_of, mapped};
use crate::messages::Failure;
use crate::serve::capture_list::files;
use crate::supervisor::kernel;
use crate::words::status as words;

/// The captures that were asked for.
///
/// # Errors
/// If a process id names no recorded process, or there is no such folder or file.
pub(super) fn captures(what: Option<&str>) -> Result<Vec<PathBuf>, Failure> {
    let Some(what) = what else { return Ok(of_this_user()) };
    let path = Path::new(what);
    if path.is_dir() {
        let mut paths: Vec<PathBuf> = files(path).into_iter().map(|(name, _)| path.join(name)).collect();
        paths.sort();
        return Ok(paths);
    }
    if what.parse::<u32>().is_err() && !path.exists() {
        return Err(words::no_file(what));
    }
    capture_of(what).map(|path| vec![path]).map_err(|failure| match what.parse::<u32>() {
        Ok(pid) if !Path::new(&format!("/proc/{pid}")).exists() => words::no_process(pid),
        _ => failure,
    })
}

/// Captures of recorded processes below this one.
pub(super) fn below(pid: u32) -> Vec<PathBuf> {
    let below = tree::descendants(pid, &mut Vec::new());
    below.into_iter().flat_map(|pid| mapped(pid).unwrap_or_default()).collect()
}

/// All that processes of this user write to. Both the program and who started it have the capture in their memory.
fn of_this_user() -> Vec<PathBuf> {
    let (user, _) = kernel::effective_ids();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        (entry.metadata().ok()?.uid() == user).then_some(pid)
    });
    let mut paths: Vec<PathBuf> = pids.flat_map(|pid| mapped(pid).unwrap_or_default()).collect();
    paths.sort();
    paths.dedup();
    paths
}
