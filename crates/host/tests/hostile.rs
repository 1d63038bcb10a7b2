//! Every parser gets torn, shuffled and random text: it may return nothing, but it must return.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use nilometer_host::cgroup::Place;
use nilometer_host::memory::{Meminfo, parse_oom_kills};
use nilometer_host::stat::Stat;
use nilometer_host::status::Status;
use nilometer_host::tree::parse_children;

/// A fixed sequence of pseudo-random numbers (xorshift), the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides as u64) as usize
    }
}

fn parse_all(text: &[u8]) {
    let status = Status::parse(text);
    assert!(status.threads.is_none() || text.windows(7).any(|window| window == b"Threads"));
    if let Some(stat) = Stat::parse(text) {
        assert!(text.contains(&stat.state));
        assert!(stat.cpu_ns(100) >= stat.cpu_ticks);
    }
    let _ = (Meminfo::parse(text), parse_oom_kills(text), parse_children(text).count());
    if let Some(place) = Place::find(text, text) {
        assert!(place.folders().all(|folder| folder.starts_with(&place.mount)));
    }
}

#[test]
fn real_files_torn_anywhere() {
    for path in ["status", "stat", "cgroup", "mountinfo"] {
        let whole = std::fs::read(format!("/proc/self/{path}")).unwrap();
        for end in 0..whole.len() {
            parse_all(&whole[..end]);
            parse_all(&whole[end..]);
        }
    }
}

#[test]
fn random_text_of_meaningful_pieces() {
    let pieces: Vec<&[u8]> = vec![
        b":",
        b" ",
        b"\n",
        b"(",
        b")",
        b"\\040",
        b"\\777",
        b"\\",
        b"-",
        b"0::",
        b"4:memory:",
        b"/",
        b"/..",
        b"/a",
        b"cgroup2",
        b"cgroup",
        b"memory",
        b"Threads:",
        b"VmSize:",
        b"kB",
        b"18446744073709551615",
        b"99999999999999999999",
        b"1",
        b"oom_kill",
        b"\xff\xfe",
        b"\0",
        b"R",
        b"PPid:",
    ];
    let mut dice = Dice(0x1234_5678_9abc_def1);
    for _ in 0..20_000 {
        let mut text = Vec::new();
        for _ in 0..dice.roll(60) {
            text.extend_from_slice(pieces[dice.roll(pieces.len())]);
        }
        parse_all(&text);
    }
}
