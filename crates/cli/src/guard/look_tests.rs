//! The look at this process, and what the numbers of a group say.

use std::path::PathBuf;

use nilometer_host::cgroup::{Place, Version};

use super::*;

#[test]
fn this_process_is_seen_against_a_limit_of_its_own() {
    let mut watch = Watch::new(Some(1 << 20));
    let judged = watch.epoch_ended(0).unwrap();
    // A test program has more than the margin of so small a limit leaves.
    assert_eq!((judged.kind, judged.judgement.acts), (Kind::Asked, false));
    assert!(judged.judgement.used > 0 && judged.judgement.room() < 0);
    let (now, peak) = watch.resident().unwrap();
    assert!(peak >= now);
    // Right after a look there is no other one, but the same end can be looked at again.
    assert_eq!(watch.epoch_ended(0), None);
    assert!(watch.again(0).is_some());
}

#[test]
fn a_look_that_was_interrupted_blinds_for_a_second_at_most() {
    let mut watch = Watch::new(Some(1 << 40));
    let ended = |ago_ms: u64| Instant::now().checked_sub(Duration::from_millis(ago_ms)).unwrap();
    watch.last = Some((ended(900), Duration::from_millis(30)));
    assert_eq!(watch.epoch_ended(0), None);
    watch.last = Some((ended(1100), Duration::from_millis(30)));
    assert!(watch.epoch_ended(0).is_some());
}

#[test]
fn a_limit_that_is_hit_says_nothing_while_pages_of_files_are_left() {
    let group = |hits: u64, file_mib: u64| Reading {
        limit: Some(1000 << 20),
        limit_hits: Some(hits),
        file: Some(file_mib << 20),
        ..Reading::default()
    };
    assert!(ran_out(Some(4), &group(5, 0)) && ran_out(Some(4), &group(5, 19)));
    assert!(!ran_out(Some(4), &group(5, 20)) && !ran_out(Some(4), &group(5, 150)));
    assert!(!ran_out(Some(5), &group(5, 0)) && !ran_out(None, &group(5, 0)));
    // What is not known does not calm.
    assert!(ran_out(Some(4), &Reading { file: None, ..group(5, 0) }));
}

#[test]
fn a_limit_that_acts_goes_before_one_that_is_nearer() {
    let far = Judgement { acts: true, used: 1, limit: 100, ..Judgement::default() };
    let near = Judgement { used: 99, limit: 100, ..Judgement::default() };
    let found = nearest([Some(near), None, Some(far), None, None].into_iter()).unwrap();
    assert_eq!(found.kind, Kind::Ram);
}

/// A service in a group whose limit a folder above it may set; the figures grow from look to look.
#[test]
fn a_service_meets_the_limit_of_its_group_in_both_versions() {
    const LIMIT_MIB: u64 = 100;
    let v1 = (Version::One, "web", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_cache", "web");
    let v2 = (Version::Two, "app.slice/web.service", "memory.max", "memory.current", "file", "app.slice");
    for (version, below, limit, current, cache, limited) in [v1, v2] {
        let mount = tempfile::tempdir().unwrap();
        let own = mount.path().join(below);
        let limited = mount.path().join(limited);
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(own.join(limit), if version == Version::One { "9223372036854771712" } else { "max" })
            .unwrap();
        std::fs::write(limited.join(limit), (LIMIT_MIB << 20).to_string()).unwrap();
        std::fs::write(limited.join("memory.stat"), format!("{cache} {}\n", 20 << 20)).unwrap();
        let use_mib = |mib: u64| std::fs::write(limited.join(current), (mib << 20).to_string()).unwrap();
        use_mib(70);
        let mut watch = Watch::of_service(std::process::id(), None);
        let place = Place { version, mount: mount.path().to_owned(), below: PathBuf::from(below) };
        watch.cgroup = Cgroup::open(&place);
        let mut look = |mib: u64| {
            use_mib(mib);
            watch.last = None;
            let judged = watch.epoch_ended(0).unwrap();
            assert_eq!(judged.kind, Kind::Cgroup);
            // 20 MiB of it are pages of files.
            assert_eq!((judged.judgement.used, judged.judgement.limit), ((mib - 20) << 20, LIMIT_MIB << 20));
            judged.judgement
        };
        for mib in (80..=108).step_by(4) {
            assert!(!look(mib).acts, "{version:?}: 88 MiB, 4 of the next look and 8 of margin just fit");
        }
        let last = look(110);
        assert!(last.acts && last.growth == 4 << 20, "{version:?}: {last:?}");
    }
}
