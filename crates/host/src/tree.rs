//! The descendants of a process.
//!
//! In: a pid. Out: the pids below it. Reads each thread's list of children if the kernel provides these
//! lists, otherwise searches `/proc` for parents. A process whose parent died is no descendant any more and
//! is not found.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::field::number;
use crate::file::read_once;
use crate::stat::Stat;

/// More descendants are not followed: a fork bomb must not take this process with it.
pub const MAX_DESCENDANTS: usize = 4096;

/// All descendants of `root`, nearest first, without `root` itself.
pub fn descendants(root: u32, buffer: &mut Vec<u8>) -> Vec<u32> {
    if Path::new("/proc/self/task/").join(std::process::id().to_string()).join("children").exists() {
        follow(root, |pid, found| children_of_threads(pid, buffer, found))
    } else {
        let children = children_by_parent(buffer);
        follow(root, |pid, found| found.extend(children.get(&pid).into_iter().flatten()))
    }
}

/// Walks down from `root`, level by level; each pid once, even if the lists are wrong.
fn follow(root: u32, mut children: impl FnMut(u32, &mut Vec<u32>)) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    let mut level = Vec::new();
    let mut next = 0;
    let mut pid = root;
    loop {
        level.clear();
        children(pid, &mut level);
        for child in &level {
            if *child != root && !found.contains(child) && found.len() < MAX_DESCENDANTS {
                found.push(*child);
            }
        }
        let Some(following) = found.get(next) else { return found };
        pid = *following;
        next += 1;
    }
}

/// Every thread has a list of the processes that it forked.
fn children_of_threads(pid: u32, buffer: &mut Vec<u8>, found: &mut Vec<u32>) {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return };
    for thread in threads.flatten() {
        if let Some(text) = read_once(&thread.path().join("children"), buffer) {
            found.extend(parse_children(text));
        }
    }
}

/// The pids in a `children` file.
pub fn parse_children(text: &[u8]) -> impl Iterator<Item = u32> {
    text.split(u8::is_ascii_whitespace).filter_map(|word| u32::try_from(number(word)?).ok())
}

/// The children of each process, from the parents of all processes.
fn children_by_parent(buffer: &mut Vec<u8>) -> BTreeMap<u32, Vec<u32>> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let Ok(entries) = fs::read_dir("/proc") else { return children };
    for entry in entries.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let parent =
            read_once(&entry.path().join("stat"), buffer).and_then(Stat::parse).map(|stat| stat.parent);
        if let Some(parent) = parent.and_then(|parent| u32::try_from(parent).ok()) {
            children.entry(parent).or_default().push(pid);
        }
    }
    children
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::process::{Command, Stdio};

    #[test]
    fn children_files_are_lists_of_pids() {
        assert_eq!(parse_children(b"12 345 \n").collect::<Vec<_>>(), [12, 345]);
        assert_eq!(parse_children(b"").count(), 0);
        assert_eq!(parse_children(b"99999999999 x").count(), 0);
    }

    #[test]
    fn a_grandchild_is_found_by_both_ways() {
        // The shell forks `sleep`, then prints its pid: both exist once the line is read.
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 60 & echo $!; wait"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = [0; 16];
        let count = shell.stdout.as_mut().unwrap().read(&mut said).unwrap();
        let grandchild = u32::try_from(number(&said[..count]).unwrap()).unwrap();

        let mut buffer = Vec::new();
        let me = std::process::id();
        let found = descendants(me, &mut buffer);
        let lists = children_by_parent(&mut buffer);
        let scanned = follow(me, |pid, found| found.extend(lists.get(&pid).into_iter().flatten()));
        Command::new("kill").arg(grandchild.to_string()).status().unwrap();
        shell.wait().unwrap();
        for found in [found, scanned] {
            assert!(found.contains(&shell.id()) && found.contains(&grandchild), "{found:?}");
        }
    }

    #[test]
    fn lists_that_go_in_circles_end() {
        let found = follow(1, |pid, found| found.extend([1, 2, pid, 3]));
        assert_eq!(found, [2, 3]);
    }
}
