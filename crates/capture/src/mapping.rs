//! The only place that talks to the system in C: shared mappings, disk space, the clock.
//!
//! In: an open file. Out: a mapping that unmaps itself; space that is really there. What must not happen here: a signal
//! in the user's process (SIGBUS on a full disk, SIGXFSZ at `ulimit -f`) or a file descriptor that stays open.
#![expect(unsafe_code, reason = "mmap, posix_fallocate, getrlimit and clock_gettime are C functions")]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt as _;
use std::ptr::NonNull;

use crate::layout::Refusal;

/// A part of a file, mapped shared, readable and writable; any offset will do.
pub(crate) struct Mapping {
    base: NonNull<u8>,
    mapped: usize,
    lead: usize,
    len: usize,
}

// SAFETY: the mapping belongs to the process, not to a thread; access goes through `atomics`, which says how.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps `len` bytes from `offset`, which the file must already hold.
    pub(crate) fn new(file: &File, offset: u64, len: usize) -> io::Result<Self> {
        // Pages are 64 KiB on some ARM kernels; the header page is 4 KiB everywhere, so units begin inside a page there.
        let lead = (offset % page_size()) as usize;
        let mapped = len.checked_add(lead).ok_or(io::ErrorKind::InvalidInput)?;
        let start = libc::off_t::try_from(offset - lead as u64)
            .map_err(|_too_far| io::Error::from(io::ErrorKind::InvalidInput))?;
        // SAFETY: a fresh mapping at an address of the kernel's choice touches no memory of ours.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapped,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                start,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(base.cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { base, mapped, lead, len })
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The first byte asked for; valid for `len` bytes while `self` lives.
    pub(crate) fn start(&self) -> *mut u8 {
        self.base.as_ptr().wrapping_add(self.lead)
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: exactly what `mmap` gave, and nobody borrows from it any more.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.mapped) };
    }
}

/// Makes sure that the disk holds these bytes of the file: a page of a mapping without a block behind it is a SIGBUS
/// as soon as the disk is full.
pub(crate) fn allocate(file: &File, offset: u64, len: usize) -> Result<(), Refusal> {
    let end = offset.checked_add(len as u64).ok_or(Refusal::Damaged)?;
    // Beyond `ulimit -f` the kernel does not merely refuse: it sends SIGXFSZ, which kills.
    if end > file_size_limit() {
        return Err(Refusal::FileSizeLimit);
    }
    let (Ok(start), Ok(len)) = (libc::off_t::try_from(offset), libc::off_t::try_from(len)) else {
        return Err(Refusal::Damaged);
    };
    for _interrupted in 0..16 {
        // SAFETY: takes numbers only; the descriptor is open while `file` lives.
        let error = unsafe { libc::posix_fallocate(file.as_raw_fd(), start, len) };
        match error {
            0 => return Ok(()),
            libc::EINTR => {}
            libc::EFBIG => return Err(Refusal::FileSizeLimit),
            _ => return Err(refusal_of(&io::Error::from_raw_os_error(error))),
        }
    }
    Err(Refusal::Other)
}

/// What an error of the system means for a writer.
pub(crate) fn refusal_of(error: &io::Error) -> Refusal {
    match error.raw_os_error() {
        Some(libc::ENOSPC | libc::EDQUOT) => Refusal::NoSpace,
        Some(libc::ENOENT | libc::ENOTDIR | libc::EACCES | libc::ELOOP | libc::EISDIR | libc::ESTALE) => {
            Refusal::Gone
        }
        Some(libc::ENOMEM | libc::EAGAIN) => Refusal::NoMemory,
        Some(libc::EMFILE | libc::ENFILE) => Refusal::NoDescriptor,
        _ => Refusal::Other,
    }
}

/// Makes these bytes zero and gives their blocks back where the file system can; the file stays as long as it is.
pub(crate) fn empty(file: &File, offset: u64, len: usize) -> io::Result<()> {
    let (Ok(start), Ok(length)) = (libc::off_t::try_from(offset), libc::off_t::try_from(len)) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let how = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    // SAFETY: takes numbers only; the descriptor is open while `file` lives.
    if unsafe { libc::fallocate(file.as_raw_fd(), how, start, length) } == 0 {
        return Ok(());
    }
    let zeros = [0; 4096];
    let mut done = 0;
    while done < len {
        let part = zeros.get(..zeros.len().min(len - done)).unwrap_or_default();
        file.write_all_at(part, offset + done as u64)?;
        done += part.len();
    }
    Ok(())
}

/// What a lock of this file is about. They lie behind all data, and belong to one opening of the file: they go with it, however it ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lock {
    /// Whoever compacts, alone.
    Compactor,
    /// Whoever reads, together; and alone, whoever frees what they may be reading.
    Readers,
}

/// Tries to get a lock, without waiting; false if somebody else has it. Where the file system knows none, everybody gets it.
pub(crate) fn try_lock(file: &File, lock: Lock, shared: bool) -> bool {
    set_lock(file, lock, if shared { libc::F_RDLCK } else { libc::F_WRLCK })
}

pub(crate) fn unlock(file: &File, lock: Lock) {
    set_lock(file, lock, libc::F_UNLCK);
}

/// A file with a lock that is given back when this is dropped. Closing the file is too late for that: a process that another thread
/// forks has a copy of the descriptor until it calls `exec`, and the lock stays as long as the last copy.
#[derive(Debug)]
pub(crate) struct Locked {
    file: File,
    lock: Lock,
}

impl Locked {
    /// Nothing if somebody else has the lock.
    pub(crate) fn alone(file: File, lock: Lock) -> Option<Self> {
        try_lock(&file, lock, false).then_some(Self { file, lock })
    }
}

impl std::ops::Deref for Locked {
    type Target = File;

    fn deref(&self) -> &File {
        &self.file
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        unlock(&self.file, self.lock);
    }
}

fn set_lock(file: &File, lock: Lock, kind: libc::c_int) -> bool {
    const BEHIND_ALL: libc::off_t = 1 << 62;
    let about = libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: BEHIND_ALL + lock as libc::off_t,
        l_len: 1,
        l_pid: 0,
    };
    // SAFETY: reads one `flock`; the descriptor is open while `file` lives.
    let failed = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const about) } != 0;
    let held = |error: io::Error| matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES));
    !(failed && held(io::Error::last_os_error()))
}

/// Whether there is no process of this number.
pub(crate) fn is_gone(pid: u32) -> bool {
    let Ok(pid) = libc::pid_t::try_from(pid) else { return true };
    // SAFETY: takes numbers only; signal 0 is sent to nobody.
    let failed = unsafe { libc::kill(pid, 0) } != 0;
    pid <= 0 || failed && io::Error::last_os_error().raw_os_error() == Some(libc::ESRCH)
}

fn file_size_limit() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: writes one `rlimit`; if it fails the value stays "no limit".
    unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) };
    limit.rlim_cur
}

fn page_size() -> u64 {
    // SAFETY: takes a number only.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(size).ok().filter(|size| *size > 0).unwrap_or(4096)
}

/// `CLOCK_MONOTONIC` in nanoseconds: the same for all processes of the machine, and it does not jump.
pub(crate) fn monotonic_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes one `timespec`.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec.cast_unsigned().wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec.cast_unsigned())
}
