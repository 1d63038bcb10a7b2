//! The file names and formats of the memory controller in both versions of cgroups.
//!
//! In: a file's bytes. Out: a number. Opens nothing.

use crate::field::{named, number};

/// Version 1 writes "no limit" as the largest number of whole pages; no machine has this much memory.
pub(super) const UNLIMITED: u64 = 1 << 62;

/// The content of a file.
#[derive(Clone, Copy)]
pub(super) enum FileKind {
    Limit,
    Bytes,
    Hits,
    File,
}

/// The files of one version and their formats.
#[derive(Debug)]
pub(super) struct Controller {
    pub(super) limits: &'static [&'static str],
    pub(super) current: &'static str,
    pub(super) peak: &'static str,
    pub(super) hits: &'static str,
    pub(super) kills: &'static str,
    pub(super) stat: &'static str,
    /// The line of `stat` with the smallest limit of the parents, if the version has one.
    pub(super) inherited: Option<&'static str>,
    hit_lines: &'static [&'static str],
    file_lines: (&'static str, &'static str),
}

pub(super) const V1: Controller = Controller {
    limits: &["memory.limit_in_bytes"],
    current: "memory.usage_in_bytes",
    peak: "memory.max_usage_in_bytes",
    hits: "memory.failcnt",
    kills: "memory.oom_control",
    stat: "memory.stat",
    inherited: Some("hierarchical_memory_limit"),
    hit_lines: &[],
    file_lines: ("total_cache", "total_shmem"),
};

// `memory.high` kills no process, but slows one that reaches it to a crawl: for a forecast it is a limit.
pub(super) const V2: Controller = Controller {
    limits: &["memory.max", "memory.high"],
    current: "memory.current",
    peak: "memory.peak",
    hits: "memory.events",
    kills: "memory.events",
    stat: "memory.stat",
    inherited: None,
    hit_lines: &["max", "high"],
    file_lines: ("file", "shmem"),
};

impl Controller {
    /// The number of this kind in a file's text.
    pub(super) fn parse(&self, kind: FileKind, text: &[u8]) -> Option<u64> {
        match kind {
            // "max" is no number, so there is no limit.
            FileKind::Limit => number(text).filter(|limit| *limit < UNLIMITED),
            FileKind::Bytes => number(text),
            FileKind::Hits if self.hit_lines.is_empty() => number(text),
            FileKind::Hits => {
                let mut found = self.hit_lines.iter().filter_map(|line| named(text, line)).peekable();
                found.peek()?;
                Some(found.fold(0, u64::saturating_add))
            }
            FileKind::File => {
                // Shared memory and tmpfs count as cache, but only swap could free them.
                let (cache, shared) = self.file_lines;
                Some(named(text, cache)?.saturating_sub(named(text, shared).unwrap_or(0)))
            }
        }
    }
}

/// Kills in the own group so far; the line has the same name in both versions (Linux 4.13 and later).
pub(super) fn parse_kills(text: &[u8]) -> Option<u64> {
    named(text, "oom_kill")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_limit_is_none_in_both_versions() {
        assert_eq!(V1.parse(FileKind::Limit, b"9223372036854771712\n"), None);
        assert_eq!(V2.parse(FileKind::Limit, b"max\n"), None);
        assert_eq!(V1.parse(FileKind::Limit, b"524288000\n"), Some(524_288_000));
        assert_eq!(V2.parse(FileKind::Limit, b"0\n"), Some(0));
    }

    #[test]
    fn hits_and_kills_are_counted() {
        let events = b"low 0\nhigh 2\nmax 30\noom 1\noom_kill 1\noom_group_kill 0\n";
        assert_eq!(V2.parse(FileKind::Hits, events), Some(32));
        assert_eq!(parse_kills(events), Some(1));
        assert_eq!(V1.parse(FileKind::Hits, b"17\n"), Some(17));
        assert_eq!(parse_kills(b"oom_kill_disable 0\nunder_oom 0\noom_kill 4\n"), Some(4));
        assert_eq!(V2.parse(FileKind::Hits, b""), None);
    }

    #[test]
    fn shared_memory_is_no_cache_to_take_back() {
        assert_eq!(V2.parse(FileKind::File, b"anon 5\nfile 100\nkernel 1\nshmem 30\n"), Some(70));
        assert_eq!(V1.parse(FileKind::File, b"cache 1\nshmem 1\ntotal_cache 90\ntotal_shmem 0\n"), Some(90));
        assert_eq!(V1.parse(FileKind::File, b"cache 1\n"), None);
    }
}
