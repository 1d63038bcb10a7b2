//! Finds the folders of a process's group.
//!
//! In: the text of `/proc/<pid>/cgroup` (which group) and of `mountinfo` (where groups are visible). Out:
//! [`Place`]. Inside a container the two may not match. The path may be the host's while the mount shows only
//! the container's part, or it may leave the namespace (`/../..`). Then the mount point is the nearest
//! visible folder.

use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};

/// Which version of cgroups has the memory controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// One hierarchy per controller.
    One,
    /// One hierarchy for all.
    Two,
}

/// The group's own folder, and the mount point, above which nothing is visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The version.
    pub version: Version,
    /// Where the hierarchy is mounted.
    pub mount: PathBuf,
    /// The group's own folder below it.
    pub below: PathBuf,
}

impl Place {
    /// From `/proc/<pid>/cgroup` and `/proc/self/mountinfo`.
    pub fn find(membership: &[u8], mountinfo: &[u8]) -> Option<Self> {
        let one = group(membership, |controllers| has(controllers, b','));
        if let Some(path) = one
            && let Some(mount) = mounts(mountinfo).find(|mount| mount.version == Version::One)
        {
            return Some(mount.place(&path));
        }
        let path = group(membership, <[u8]>::is_empty)?;
        mounts(mountinfo).find(|mount| mount.version == Version::Two).map(|mount| mount.place(&path))
    }

    /// From the own folder up to the mount point.
    pub fn folders(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.below.ancestors().map(|below| {
            if below.as_os_str().is_empty() { self.mount.clone() } else { self.mount.join(below) }
        })
    }
}

/// The path in the line of `/proc/<pid>/cgroup` with matching controllers.
fn group(membership: &[u8], fits: impl Fn(&[u8]) -> bool) -> Option<PathBuf> {
    membership.split(|byte| *byte == b'\n').find_map(|line| {
        let mut parts = line.splitn(3, |byte| *byte == b':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        fits(controllers).then(|| path_of(path.to_vec()))
    })
}

fn has(list: &[u8], separator: u8) -> bool {
    list.split(|byte| *byte == separator).any(|word| word == b"memory")
}

struct Mount {
    version: Version,
    root: PathBuf,
    point: PathBuf,
}

impl Mount {
    fn place(self, path: &Path) -> Place {
        let below = path.strip_prefix(&self.root).unwrap_or(Path::new(""));
        let visible = below.components().all(|part| matches!(part, Component::Normal(_)));
        let below = if visible { below.to_path_buf() } else { PathBuf::new() };
        Place { version: self.version, mount: self.point, below }
    }
}

/// The mounts that may hold the memory controller.
fn mounts(mountinfo: &[u8]) -> impl Iterator<Item = Mount> {
    mountinfo.split(|byte| *byte == b'\n').filter_map(|line| {
        // Any number of optional fields ends with a lone "-"; the file system's type and options follow.
        let mut fields = line.split(|byte| *byte == b' ');
        let root = fields.nth(3)?;
        let point = fields.next()?;
        let mut rest = fields.skip_while(|field| *field != b"-");
        let kind = rest.nth(1)?;
        let options = rest.nth(1).unwrap_or_default();
        let version = match kind {
            b"cgroup" if has(options, b',') => Version::One,
            b"cgroup2" => Version::Two,
            _ => return None,
        };
        Some(Mount { version, root: path_of(unescape(root)), point: path_of(unescape(point)) })
    })
}

fn path_of(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

/// In `mountinfo`, blanks and backslashes are a backslash and three octal digits.
fn unescape(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, tail)) = rest.split_first() {
        let octal =
            tail.get(..3).filter(|digits| *first == b'\\' && digits.iter().all(|d| (b'0'..b'8').contains(d)));
        if let Some(digits) = octal {
            plain.push(digits.iter().fold(0_u8, |sum, digit| (sum << 3) | (digit - b'0')));
            rest = tail.get(3..).unwrap_or_default();
        } else {
            plain.push(*first);
            rest = tail;
        }
    }
    plain
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    const HYBRID: &[u8] =
        b"30 22 0:26 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n\
        31 22 0:27 / /sys/fs/cgroup/cpu rw shared:10 - cgroup cgroup rw,cpu\n\
        32 22 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

    fn folders(membership: &[u8], mounts: &[u8]) -> Vec<String> {
        let place = Place::find(membership, mounts).unwrap();
        place.folders().map(|folder| folder.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn on_a_hybrid_machine_the_memory_controller_decides() {
        let found = folders(b"5:cpu:/\n4:memory:/a/b\n0::/x\n", HYBRID);
        assert_eq!(found, ["/sys/fs/cgroup/memory/a/b", "/sys/fs/cgroup/memory/a", "/sys/fs/cgroup/memory"]);
    }

    #[test]
    fn a_unified_machine_walks_up_its_slices() {
        let mounts = b"29 22 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate";
        let found = folders(b"0::/user.slice/job.scope\n", mounts);
        assert_eq!(
            found,
            ["/sys/fs/cgroup/user.slice/job.scope", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"]
        );
    }

    #[test]
    fn a_container_that_sees_only_its_own_part() {
        let mounts = b"30 22 0:26 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory";
        assert_eq!(folders(b"4:memory:/docker/abc\n", mounts), ["/sys/fs/cgroup/memory"]);
        assert_eq!(
            folders(b"4:memory:/docker/abc/job\n", mounts),
            ["/sys/fs/cgroup/memory/job", "/sys/fs/cgroup/memory"]
        );
        assert_eq!(folders(b"4:memory:/elsewhere\n", mounts), ["/sys/fs/cgroup/memory"]);
    }

    #[test]
    fn a_path_that_climbs_out_of_the_namespace_ends_at_the_mount() {
        let mounts = b"29 22 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw";
        assert_eq!(folders(b"0::/../../other\n", mounts), ["/sys/fs/cgroup"]);
    }

    #[test]
    fn blanks_in_mount_points_are_understood() {
        let mounts = b"29 22 0:26 / /my\\040groups rw - cgroup2 cgroup2 rw";
        assert_eq!(folders(b"0::/\n", mounts), ["/my groups"]);
    }

    #[test]
    fn no_mount_no_place() {
        assert_eq!(Place::find(b"0::/\n", b""), None);
        assert_eq!(Place::find(b"", HYBRID), None);
    }
}
