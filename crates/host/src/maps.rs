//! `/proc/<pid>/maps`: which libraries a process has loaded.
//!
//! In: a pid and the beginning of a file's name. Out: yes or no. The kernel writes a line for each mapping: a millisecond for thousands.

use std::path::Path;

use crate::file::read_once;

/// Whether the process maps a file whose name begins so; `None` once it is gone, or without permission.
pub fn has_file(pid: u32, name: &str, buffer: &mut Vec<u8>) -> Option<bool> {
    read_once(Path::new(&format!("/proc/{pid}/maps")), buffer).map(|text| names_file(text, name))
}

fn names_file(text: &[u8], name: &str) -> bool {
    let is_one = |line: &[u8]| {
        let slash = line.iter().rposition(|byte| *byte == b'/');
        slash.and_then(|at| line.get(at + 1..)).is_some_and(|file| file.starts_with(name.as_bytes()))
    };
    text.split(|byte| *byte == b'\n').any(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_known_by_how_its_name_begins() {
        let text = b"7f00-7f01 r-xp 00000000 08:01 12   /usr/lib/libcuda.so.550.54\n7f02-7f03 rw-p 00000000 00:00 0 \n";
        assert!(names_file(text, "libcuda.so"));
        assert!(!names_file(text, "libcudart.so"));
        assert!(!names_file(b"7f00-7f01 r-xp 0 08:01 12   /usr/libcuda.so/other.so\n", "libcuda.so"));
        assert!(!names_file(b"", "libcuda.so"));
    }

    #[test]
    fn our_own_are_read() {
        let mut buffer = Vec::new();
        assert_eq!(has_file(std::process::id(), "libc.so", &mut buffer), Some(true));
        assert_eq!(has_file(std::process::id(), "libcuda.so", &mut buffer), Some(false));
    }
}
