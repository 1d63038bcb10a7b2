//! Disks that are full, files that vanish, limits that are reached: the program goes on, and the loss is told.
#![allow(clippy::unwrap_used, reason = "a test may panic")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "how a child tells that it came to its end")]
#![allow(unsafe_code, reason = "limits are set with setrlimit")]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output};

use nilometer_capture::*;

const CHILD: &str = "TEST_CHILD";
const CHILD_PATH: &str = "TEST_CHILD_PATH";

fn mark(ordinal: u64) -> Record {
    Record::Cycle { unit: CycleUnit::Step, ordinal }
}

/// Appends until the writer refuses; how many were promised.
fn fill(writer: &Writer, most: u64) -> u64 {
    (0..most).take_while(|ordinal| writer.append(&mark(*ordinal))).count() as u64
}

fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// What a child does, in a process of its own with limits of its own.
#[test]
fn child() {
    let (Ok(what), Some(path)) = (std::env::var(CHILD), std::env::var_os(CHILD_PATH)) else { return };
    let path = Path::new(&path);
    match what.as_str() {
        "file size limit" => {
            let writer = Writer::create(path, false).unwrap();
            limit(libc::RLIMIT_FSIZE, 4096 + 3 * 65536 + 100);
            let promised = fill(&writer, 100_000);
            assert_eq!(promised, check_refused(&writer, path, Refusal::FileSizeLimit));
            assert_eq!(std::fs::metadata(path).unwrap().len(), 4096 + 3 * 65536);
            limit(libc::RLIMIT_FSIZE, 100);
            let too_low = Writer::create(&path.with_extension("2"), false).err().unwrap();
            assert!(matches!(too_low, CreateError::FileSizeLimit { .. }), "{too_low}");
        }
        "no descriptor" => {
            let writer = Writer::create(path, false).unwrap();
            limit(libc::RLIMIT_NOFILE, 0);
            let promised = fill(&writer, 10);
            limit(libc::RLIMIT_NOFILE, 64);
            assert_eq!(promised, check_refused(&writer, path, Refusal::NoDescriptor));
        }
        "no memory" => {
            let writer = Writer::create(path, false).unwrap();
            limit(libc::RLIMIT_AS, 4096);
            let promised = fill(&writer, 10);
            limit(libc::RLIMIT_AS, libc::RLIM_INFINITY);
            assert_eq!(promised, check_refused(&writer, path, Refusal::NoMemory));
        }
        "full disk" => full_disk(path),
        other => panic!("{other}"),
    }
    println!("\nchild is done");
}

fn limit(resource: libc::__rlimit_resource_t, most: u64) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: reads and writes one `rlimit`.
    unsafe {
        assert_eq!(libc::getrlimit(resource, &raw mut limit), 0);
        limit.rlim_cur = most;
        assert_eq!(libc::setrlimit(resource, &raw const limit), 0);
    }
}

/// The reader finds what was promised, and says how much was not written and why; the number found.
fn check_refused(writer: &Writer, path: &Path, why: Refusal) -> u64 {
    assert!(!writer.append(&mark(0)), "retries are paced");
    let capture = Capture::open(path).unwrap();
    assert_eq!(capture.header.refusal, Some(why));
    assert_eq!(capture.header.lost, 2);
    let told = format!("2 records could not be written, because {}", why.words());
    assert_eq!(capture.losses, [told]);
    capture.records.len() as u64
}

/// On a disk of its own, which is then filled by somebody else, and freed again.
fn full_disk(folder: &Path) {
    let mounted =
        Command::new("mount").args(["-t", "tmpfs", "-o", "size=512k", "tmpfs"]).arg(folder).status().unwrap();
    assert!(mounted.success());
    let path = folder.join("x.nilo");
    let writer = Writer::create(&path, false).unwrap();
    assert!(writer.append(&mark(0)));
    let ballast = folder.join("ballast");
    std::fs::write(&ballast, vec![1; 400 * 1024]).unwrap();
    let promised = 1 + fill(&writer, 100_000);
    assert!(promised > 3000, "the segment that was allocated stays usable: {promised}");
    assert_eq!(promised, check_refused(&writer, &path, Refusal::NoSpace));
    let left = 512 * 1024 - 4096 - 400 * 1024 - 65536;
    std::fs::write(folder.join("rest"), vec![1; left]).unwrap();
    let no_room = Writer::create(&folder.join("y.nilo"), false).err().unwrap();
    assert!(matches!(no_room, CreateError::NoSpace { .. }), "{no_room}");
    assert!(!folder.join("y.nilo").exists(), "a capture that could not be made leaves nothing behind");
    // Space comes back: after the pause, recording goes on.
    std::fs::remove_file(&ballast).unwrap();
    let retry = std::time::Instant::now();
    while !writer.append(&mark(1)) {
        assert!(retry.elapsed() < std::time::Duration::from_secs(20), "never tried again");
        std::thread::yield_now();
    }
    let capture = Capture::open(&path).unwrap();
    assert_eq!(capture.records.len() as u64, promised + 1);
    assert_eq!(capture.losses.len(), 1, "{:?}", capture.losses);
}

fn run_child(what: &str, path: &Path, wrapper: &[&str]) -> Output {
    let exe = std::env::current_exe().unwrap();
    let mut command = match wrapper {
        [] => Command::new(exe),
        [first, rest @ ..] => {
            let mut command = Command::new(first);
            command.args(rest).arg(exe);
            command
        }
    };
    command.args(["--exact", "child", "--nocapture"]).env(CHILD, what).env(CHILD_PATH, path).output().unwrap()
}

fn assert_done(output: &Output) {
    assert!(String::from_utf8_lossy(&output.stdout).contains("child is done"), "{output:?}");
}

#[test]
fn limits_of_the_process_stop_the_recording_and_not_the_program() {
    for what in ["file size limit", "no descriptor", "no memory"] {
        let folder = tempfile::tempdir().unwrap();
        assert_done(&run_child(what, &folder.path().join("x.nilo"), &[]));
    }
}

#[test]
fn a_full_disk_stops_the_recording_until_there_is_space() {
    let namespace = ["unshare", "--user", "--map-root-user", "--mount"];
    let [program, options @ ..] = namespace;
    let allowed =
        Command::new(program).args(options).arg("true").status().is_ok_and(|status| status.success());
    if !allowed {
        eprintln!("not tested: this machine gives no mount namespace for a small disk");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    assert_done(&run_child("full disk", folder.path(), &namespace));
}

#[test]
fn a_file_that_vanishes_stops_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let moved = folder.path().join("moved");
    let writer = Writer::create(&path, false).unwrap();
    assert!(writer.append(&mark(0)));
    std::fs::rename(&path, &moved).unwrap();
    let promised = 1 + fill(&writer, 100_000);
    assert_eq!(promised, check_refused(&writer, &moved, Refusal::Gone));
    std::fs::remove_file(&moved).unwrap();
    assert!(!writer.append(&mark(0)));
}

#[test]
fn a_file_that_was_replaced_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let old = folder.path().join("old");
    let writer = Writer::create(&path, false).unwrap();
    std::fs::rename(&path, &old).unwrap();
    std::fs::write(&path, "someone else's").unwrap();
    assert_eq!(fill(&writer, 10), 0);
    assert_eq!(std::fs::read(&path).unwrap(), b"someone else's");
    assert_eq!(check_refused(&writer, &old, Refusal::Gone), 0);
}

#[test]
fn a_header_that_was_scribbled_over_is_not_believed() {
    use std::os::unix::fs::FileExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let writer = Writer::create(&path, false).unwrap();
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.write_all_at(&[0x7f; 8], 40).unwrap();
    assert_eq!(fill(&writer, 10), 0);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 4096);
}

#[test]
fn no_descriptor_stays_open() {
    // In a process of its own the count would be exact; here other tests open files, so it is compared by name.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let writer = Writer::create(&path, false).unwrap();
    let inside = Writer::join(&path).unwrap();
    assert!(fill(&writer, 10_000) == 10_000 && fill(&inside, 10_000) == 10_000);
    assert!(open_descriptors() > 0);
    for entry in std::fs::read_dir("/proc/self/fd").unwrap() {
        let target = std::fs::read_link(entry.unwrap().path()).unwrap_or_default();
        assert_ne!(target, path);
    }
}

#[test]
fn create_says_what_stands_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let refuse = |name: &str, overwrite| Writer::create(&at(name), overwrite).err().unwrap();

    std::fs::create_dir(at("folder")).unwrap();
    assert!(matches!(refuse("folder", true), CreateError::IsFolder { .. }));
    assert!(matches!(refuse("missing/x", false), CreateError::NoFolder { .. }));
    std::fs::write(at("train.py"), "import keras").unwrap();
    assert!(matches!(refuse("train.py/x", false), CreateError::NoFolder { .. }));
    assert!(matches!(refuse("train.py", false), CreateError::Exists { .. }));
    assert!(matches!(refuse("train.py", true), CreateError::NotOurs { .. }));
    assert_eq!(std::fs::read(at("train.py")).unwrap(), b"import keras");
    symlink(at("nowhere"), at("dangling")).unwrap();
    assert!(matches!(refuse("dangling", false), CreateError::Exists { .. }));
    assert!(matches!(refuse("dangling", true), CreateError::NotOurs { .. }));
    assert!(!at("nowhere").exists());
    assert!(matches!(Writer::create(Path::new("/dev/null"), true), Err(CreateError::NotOurs { .. })));
    let in_proc = Writer::create(Path::new("/proc/self/x.nilo"), false).err().unwrap();
    assert!(in_proc.to_string().starts_with("the folder /proc/self "), "{in_proc}");
}

#[test]
fn overwriting_leaves_the_old_file_whole_for_those_who_use_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    let old = Writer::create(&path, false).unwrap();
    assert!(old.append(&mark(1)));
    let new = Writer::create(&path, true).unwrap();
    assert!(old.append(&mark(2)), "still mapped, still allocated");
    assert!(new.append(&mark(3)));
    let capture = Capture::open(&path).unwrap();
    assert_eq!(capture.records.len(), 1);
    assert_eq!(capture.records[0].record, mark(3));
}

#[test]
fn join_says_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    assert!(matches!(Writer::join(&at("missing")), Err(JoinError::Missing { .. })));
    std::fs::write(at("other"), "x".repeat(9999)).unwrap();
    assert!(matches!(Writer::join(&at("other")), Err(JoinError::NotACapture { .. })));
    std::fs::write(at("empty"), "").unwrap();
    assert!(matches!(Writer::join(&at("empty")), Err(JoinError::NotACapture { .. })));
}

#[test]
fn open_says_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let say = |name: &str, bytes: &[u8]| {
        std::fs::write(at(name), bytes).unwrap();
        Capture::open(&at(name)).err().unwrap()
    };
    drop(Writer::create(&at("good"), false).unwrap());
    let good = std::fs::read(at("good")).unwrap();
    let mut newer = good.clone();
    newer[8] = 2;
    let mut damaged = good.clone();
    damaged[16] = 3;

    assert!(matches!(Capture::open(&at("missing")), Err(OpenError::Missing { .. })));
    assert!(matches!(Capture::open(folder.path()), Err(OpenError::IsFolder { .. })));
    assert!(matches!(Capture::open(Path::new("/dev/zero")), Err(OpenError::NotACapture { .. })));
    assert!(matches!(say("empty", b""), OpenError::Empty { .. }));
    assert!(matches!(say("text", b"hello"), OpenError::NotACapture { .. }));
    assert!(matches!(say("cut", &good[..100]), OpenError::Truncated { bytes: 100, .. }));
    assert!(matches!(say("newer", &newer), OpenError::Newer { major: 2, minor: FORMAT_MINOR, .. }));
    assert!(matches!(say("newer and cut", &newer[..12]), OpenError::Newer { .. }));
    assert!(matches!(say("damaged", &damaged), OpenError::Damaged { .. }));
    let mut newer_minor = good;
    newer_minor[10] = 9;
    std::fs::write(at("minor"), newer_minor).unwrap();
    assert_eq!(Capture::open(&at("minor")).unwrap().header.minor, 9);
}

#[test]
fn a_file_that_may_not_be_read_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.nilo");
    drop(Writer::create(&path, false).unwrap());
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    match Capture::open(&path) {
        Err(OpenError::NotPermitted { .. }) => {}
        Ok(_) if std::fs::read(&path).is_ok() => {} // root may read everything
        other => panic!("{other:?}"),
    }
}
