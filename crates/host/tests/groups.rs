//! Groups made of plain folders: which limit binds, and which numbers are then read.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::fs;
use std::path::{Path, PathBuf};

use nilometer_host::cgroup::{Cgroup, Place, Reading, Version};

/// A folder of files, removed at the end.
struct Groups(PathBuf);

impl Groups {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let root = std::env::temp_dir().join(format!("nilometer-groups-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(root)
    }

    fn read(&self, version: Version, below: &str) -> Reading {
        let place = Place { version, mount: self.0.clone(), below: Path::new(below).to_path_buf() };
        Cgroup::open(&place).unwrap().read(&mut Vec::new(), true)
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn the_smallest_limit_of_all_parents_binds() {
    let groups = Groups::new(
        "parents",
        &[
            ("pod/memory.max", "1000\n"),
            ("pod/memory.high", "max\n"),
            ("pod/memory.current", "900\n"),
            ("pod/memory.peak", "950\n"),
            ("pod/memory.events", "low 0\nhigh 0\nmax 3\noom 1\noom_kill 1\n"),
            ("pod/memory.stat", "anon 500\nfile 300\nshmem 100\n"),
            ("pod/job/memory.max", "4000\n"),
            ("pod/job/memory.high", "max\n"),
            ("pod/job/memory.current", "700\n"),
            ("pod/job/memory.events", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 2\n"),
        ],
    );
    let expected = Reading {
        limit: Some(1000),
        current: Some(900),
        peak: Some(950),
        limit_hits: Some(3),
        file: Some(200),
        oom_kills: Some(2),
    };
    assert_eq!(groups.read(Version::Two, "pod/job"), expected);
}

#[test]
fn high_binds_when_it_is_the_smallest() {
    let groups = Groups::new(
        "high",
        &[("a/memory.max", "1000\n"), ("a/memory.high", "800\n"), ("a/memory.current", "10\n")],
    );
    let reading = groups.read(Version::Two, "a");
    assert_eq!((reading.limit, reading.current, reading.peak), (Some(800), Some(10), None));
}

#[test]
fn without_any_limit_only_kills_are_told() {
    let groups = Groups::new(
        "none",
        &[("a/memory.max", "max\n"), ("a/memory.high", "max\n"), ("a/memory.events", "max 0\noom_kill 5\n")],
    );
    assert_eq!(groups.read(Version::Two, "a"), Reading { oom_kills: Some(5), ..Reading::default() });
}

#[test]
fn version_one_knows_of_a_limit_above_its_mount() {
    let groups = Groups::new(
        "inherited",
        &[
            ("memory.limit_in_bytes", "9223372036854771712\n"),
            ("memory.usage_in_bytes", "300\n"),
            ("memory.max_usage_in_bytes", "400\n"),
            ("memory.failcnt", "0\n"),
            ("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 0\n"),
            ("memory.stat", "cache 1\nhierarchical_memory_limit 5000\ntotal_cache 40\n"),
        ],
    );
    let reading = groups.read(Version::One, "");
    assert_eq!((reading.limit, reading.current, reading.file), (Some(5000), Some(300), Some(40)));
}

#[test]
fn a_limit_that_is_set_later_binds_from_then_on() {
    let groups = Groups::new(
        "later",
        &[("a/memory.limit_in_bytes", "9223372036854771712\n"), ("a/memory.usage_in_bytes", "7\n")],
    );
    let place = Place { version: Version::One, mount: groups.0.clone(), below: "a".into() };
    let mut group = Cgroup::open(&place).unwrap();
    let mut buffer = Vec::new();
    assert_eq!(group.read(&mut buffer, false).limit, None);
    fs::write(groups.0.join("a/memory.limit_in_bytes"), "123\n").unwrap();
    let reading = group.read(&mut buffer, false);
    assert_eq!((reading.limit, reading.current), (Some(123), Some(7)));
}

#[test]
fn a_folder_without_memory_files_is_no_group() {
    let groups = Groups::new("bare", &[("a/cgroup.procs", "1\n")]);
    let place = Place { version: Version::Two, mount: groups.0.clone(), below: "a".into() };
    assert!(Cgroup::open(&place).is_none());
}
