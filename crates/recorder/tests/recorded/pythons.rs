//! The interpreters of this machine.

use std::path::PathBuf;
use std::process::Command;

/// Those that run: pyenv's, and what is on the path; versions 3.10 to 3.14.
pub fn pythons() -> Vec<PathBuf> {
    let home = std::env::var("HOME").unwrap_or_default();
    let root = std::env::var("PYENV_ROOT").unwrap_or_else(|_| format!("{home}/.pyenv"));
    let kept = std::fs::read_dir(format!("{root}/versions")).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = kept.map(|version| version.path().join("bin/python3")).collect();
    // A system may have a version beside the one that it calls Python.
    let named =
        ["/usr/bin/python3", "/usr/local/bin/python3", "/usr/bin/python3.14", "/usr/local/bin/python3.14"];
    found.extend(named.map(PathBuf::from));
    found.retain(|python| {
        let asked = Command::new(python).args(["-c", "import sys; print(*sys.version_info[:2])"]).output();
        let version =
            asked.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        ["3 10", "3 11", "3 12", "3 13", "3 14"].contains(&version.trim())
    });
    assert!(!found.is_empty(), "a Python is needed here");
    found
}

/// One of them, for what does not depend on the version.
pub fn python() -> PathBuf {
    pythons().into_iter().next_back().unwrap_or_default()
}
