//! The names and forms of the memory controller's files in the two versions of cgroups.
//!
//! In: a file's bytes. Out: a number. Nothing is opened here.

use crate::field::{named, number};

/// Version 1 writes "no limit" as the largest number of whole pages; no machine has this much.
pub(super) const UNLIMITED: u64 = 1 << 62;

/// What a file holds.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Limit,
    Bytes,
    Hits,
    File,
}

/// One version's file names and readings.
#[derive(Debug)]
pub(super) struct Dialect {
    pub(super) limits: &'static [&'static str],
    pub(super) current: &'static str,
    pub(super) peak: &'static str,
    pub(super) hits: &'static str,
    pub(super) kills: &'static str,
    pub(super) stat: &'static str,
    /// The line of `stat` with the smallest limit among the parents, where there is one.
    pub(super) inherited: Option<&'static str>,
    hit_lines: &'static [&'static str],
    file_lines: (&'static str, &'static str),
}

pub(super) const ONE: Dialect = Dialect {
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

// `memory.high` kills nobody, but a program that reaches it is slowed to a crawl: for a forecast it is a limit.
pub(super) const TWO: Dialect = Dialect {
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

impl Dialect {
    /// The number of a kind in a file's text.
    pub(super) fn parse(&self, kind: Kind, text: &[u8]) -> Option<u64> {
        match kind {
            // "max" is no number, and so no limit.
            Kind::Limit => number(text).filter(|limit| *limit < UNLIMITED),
            Kind::Bytes => number(text),
            Kind::Hits if self.hit_lines.is_empty() => number(text),
            Kind::Hits => {
                let mut found = self.hit_lines.iter().filter_map(|line| named(text, line)).peekable();
                found.peek()?;
                Some(found.fold(0, u64::saturating_add))
            }
            Kind::File => {
                // Shared memory and tmpfs are counted as cache, but only swap could take them back.
                let (cache, shared) = self.file_lines;
                Some(named(text, cache)?.saturating_sub(named(text, shared).unwrap_or(0)))
            }
        }
    }
}

/// Kills in the own group so far; the line is called the same in both versions (Linux 4.13 and later).
pub(super) fn parse_kills(text: &[u8]) -> Option<u64> {
    named(text, "oom_kill")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_limit_is_none_in_both_versions() {
        assert_eq!(ONE.parse(Kind::Limit, b"9223372036854771712\n"), None);
        assert_eq!(TWO.parse(Kind::Limit, b"max\n"), None);
        assert_eq!(ONE.parse(Kind::Limit, b"524288000\n"), Some(524_288_000));
        assert_eq!(TWO.parse(Kind::Limit, b"0\n"), Some(0));
    }

    #[test]
    fn hits_and_kills_are_counted() {
        let events = b"low 0\nhigh 2\nmax 30\noom 1\noom_kill 1\noom_group_kill 0\n";
        assert_eq!(TWO.parse(Kind::Hits, events), Some(32));
        assert_eq!(parse_kills(events), Some(1));
        assert_eq!(ONE.parse(Kind::Hits, b"17\n"), Some(17));
        assert_eq!(parse_kills(b"oom_kill_disable 0\nunder_oom 0\noom_kill 4\n"), Some(4));
        assert_eq!(TWO.parse(Kind::Hits, b""), None);
    }

    #[test]
    fn shared_memory_is_no_cache_to_take_back() {
        assert_eq!(TWO.parse(Kind::File, b"anon 5\nfile 100\nkernel 1\nshmem 30\n"), Some(70));
        assert_eq!(ONE.parse(Kind::File, b"cache 1\nshmem 1\ntotal_cache 90\ntotal_shmem 0\n"), Some(90));
        assert_eq!(ONE.parse(Kind::File, b"cache 1\n"), None);
    }
}
