//! Making the file: a fresh inode with a whole header page, or an error that says what to do.
//!
//! In: an absolute path. Out: an open file that is nobody else's. What must not happen here: a file that is not a
//! capture removed, a symbolic link followed, an old capture truncated under those who have it mapped.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::CreateError;
use crate::layout::{HEADER_LEN, MAGIC, Refusal, fresh_header};
use crate::mapping::{allocate, monotonic_ns};

pub(crate) fn create(path: &Path, overwrite: bool) -> Result<File, CreateError> {
    let file = match create_new(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            clear(path, overwrite)?;
            create_new(path)
        }
        other => other,
    }
    .map_err(|error| of_io(error, path))?;
    write_header(&file, path).inspect_err(|_error| {
        let _gone = std::fs::remove_file(path); // ours and worthless
    })?;
    Ok(file)
}

fn create_new(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

/// Removes the capture that stands there, if that was asked for.
fn clear(path: &Path, overwrite: bool) -> Result<(), CreateError> {
    let owned = || path.to_owned();
    let about = std::fs::symlink_metadata(path).map_err(|error| of_io(error, path))?;
    if about.is_dir() {
        return Err(CreateError::IsFolder { path: owned() });
    }
    if !overwrite {
        return Err(CreateError::Exists { path: owned() });
    }
    if !about.is_file() || !(about.len() == 0 || is_capture(path)) {
        return Err(CreateError::NotOurs { path: owned() });
    }
    std::fs::remove_file(path).map_err(|error| of_io(error, path))
}

fn is_capture(path: &Path) -> bool {
    let mut first = [0; MAGIC.len()];
    OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW)
        .open(path)
        .and_then(|mut file| file.read_exact(&mut first))
        .is_ok_and(|()| first == MAGIC)
}

fn write_header(file: &File, path: &Path) -> Result<(), CreateError> {
    let path = || path.to_owned();
    allocate(file, 0, HEADER_LEN).map_err(|refusal| match refusal {
        Refusal::NoSpace => CreateError::NoSpace { path: path() },
        Refusal::FileSizeLimit => CreateError::FileSizeLimit { path: path() },
        other => CreateError::Other { path: path(), source: std::io::Error::other(other.words()) },
    })?;
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
    file.write_all_at(&fresh_header(since_1970, monotonic_ns()), 0)
        .map_err(|source| CreateError::Other { path: path(), source })
}

fn of_io(source: std::io::Error, path: &Path) -> CreateError {
    let folder = path.parent().unwrap_or(path).to_owned();
    match source.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => CreateError::NoFolder { folder },
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            CreateError::ReadOnly { folder, source }
        }
        ErrorKind::IsADirectory => CreateError::IsFolder { path: path.to_owned() },
        ErrorKind::AlreadyExists => CreateError::Exists { path: path.to_owned() },
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => CreateError::NoSpace { path: path.to_owned() },
        _ => CreateError::Other { path: path.to_owned(), source },
    }
}
