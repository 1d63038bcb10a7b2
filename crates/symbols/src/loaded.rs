//! Loaded objects as the recorder noted them.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// An ELF object in the process's memory.
#[derive(Debug, Clone, Copy)]
pub struct Loaded<'a> {
    /// The file by the dynamic loader's name; a name without a file (`linux-vdso.so.1`) is allowed.
    pub path: &'a str,
    /// Added by the loader to the file's virtual addresses.
    pub bias: u64,
    /// First address of the object's loaded segments.
    pub start: u64,
    /// First address after them.
    pub end: u64,
    /// The file's identity when it was loaded, if known: a file that has changed since gives no names.
    pub identity: Option<Identity>,
}

/// Distinguishes a file from a later one of the same name. TensorFlow's libraries have no build id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// Length in bytes.
    pub bytes: u64,
    /// Time of last change, in whole seconds since 1970.
    pub modified_s: i64,
}

impl Identity {
    /// The identity of an open file.
    pub fn of(file: &Metadata) -> Self {
        Self { bytes: file.len(), modified_s: file.mtime() }
    }
}
