//! The writer: what the supervisor and the program hold to say something.
//!
//! In: records, from any thread. Out: bytes in the shared mapping that survive `kill -9`. What must not happen here: a
//! panic, a wait without a bound, a signal, an error that the program sees. What cannot be written is counted.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

use crate::atomics;
use crate::board::Board;
use crate::claim::{Source, open_shared};
use crate::counters::Counters;
use crate::encode::Reading;
use crate::encode::{Encode, Length};
use crate::error::{CreateError, JoinError};
use crate::layout::{FORMAT_MAJOR, HEADER_LEN, Header, HeaderProblem, Refusal, UNIT, at};
use crate::mapping::{Mapping, monotonic_ns};
use crate::nursery::Nursery;
use crate::record::{Moment, Record};
use crate::sample::{Sampling, SamplingCount};
use crate::segment::Segment;
use crate::slots::Slots;

/// After a refusal: how long until the next try. Doubles up to the second value.
const RETRY_FIRST_NS: u64 = 1_000_000_000;
const RETRY_MOST_NS: u64 = 32_000_000_000;
/// How long a thread waits for another one that is claiming a segment, which takes some 50 us unless the disk hangs.
/// After one wait of this length nobody waits until that claim is over.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Appends records to a capture. Cheap, lock-free, usable from all threads.
pub struct Writer {
    board: Board,
    header: Arc<Mapping>,
    source: Source,
    slots: Slots,
    start_mono_ns: u64,
    retry_at_ns: AtomicU64,
    retry_pause_ns: AtomicU64,
    /// A claim takes so long that others no longer wait for it.
    slow_claim: AtomicBool,
}

impl Writer {
    /// Makes a new capture file and its header.
    ///
    /// With `overwrite`, a capture that stands there is unlinked first: whoever still reads or writes the old file keeps
    /// it whole. What is not a capture is never overwritten.
    ///
    /// # Errors
    /// Each of [`CreateError`] says what to do.
    pub fn create(path: &Path, overwrite: bool) -> Result<Self, CreateError> {
        let absolute = std::path::absolute(path)
            .map_err(|source| CreateError::Other { path: path.to_owned(), source })?;
        let file = crate::create::create(&absolute, overwrite)?;
        Self::on(&absolute, &file).map_err(|source| CreateError::Other { path: path.to_owned(), source })
    }

    /// Joins a capture that exists, to write segments of one's own.
    ///
    /// # Errors
    /// Each of [`JoinError`] says what is wrong with the file.
    pub fn join(path: &Path) -> Result<Self, JoinError> {
        let of_io = |source| JoinError::of_io(source, path);
        let absolute = std::path::absolute(path).map_err(of_io)?;
        let file = open_shared(&absolute).map_err(of_io)?;
        check_joinable(&file, path)?;
        Self::on(&absolute, &file).map_err(of_io)
    }

    fn on(path: &Path, file: &File) -> std::io::Result<Self> {
        let header = Arc::new(Mapping::new(file, 0, HEADER_LEN)?);
        let start = atomics::u64_at(&header, at::START_MONO_NS).map_or(0, |start| start.load(Relaxed));
        Ok(Self {
            board: Board::new(Arc::clone(&header)),
            source: Source::new(path.to_owned(), file, Arc::clone(&header))?,
            header,
            slots: Slots::new(),
            start_mono_ns: start,
            retry_at_ns: AtomicU64::new(0),
            retry_pause_ns: AtomicU64::new(RETRY_FIRST_NS),
            slow_claim: AtomicBool::new(false),
        })
    }

    /// Writes a record that happened now; false if it could not be recorded, which is counted in the header.
    pub fn append(&self, record: &Record) -> bool {
        // The clock costs more than this question.
        !self.board.is_closed() && self.append_at(self.now(), record)
    }

    /// Writes a record that happened at this time, in nanoseconds since the start of the capture.
    pub fn append_at(&self, at_ns: u64, record: &Record) -> bool {
        self.put(at_ns, record)
    }

    /// Writes a reading, borrowed, without an allocation.
    pub fn append_reading(&self, at_ns: u64, moment: Moment, counters: &Counters) -> bool {
        self.put(at_ns, &Reading { moment, counters })
    }

    /// Writes what the recorder says, borrowed, without an allocation.
    pub fn append_sampling(&self, at_ns: u64, said: &Sampling) -> bool {
        self.put(at_ns, said)
    }

    /// Writes what the recorder did so far, borrowed, without an allocation.
    pub fn append_count(&self, at_ns: u64, count: &SamplingCount) -> bool {
        self.put(at_ns, count)
    }

    fn put(&self, at_ns: u64, said: &impl Encode) -> bool {
        if self.board.is_closed() {
            return false;
        }
        let mut length = Length::default();
        said.encode(at_ns, &mut length);
        let write = |segment: &Segment| segment.append(at_ns, said, length.0);
        let mut waiting_since = None;
        loop {
            let seen = self.slots.exchanges();
            if self.slots.current().is_some_and(|segment| write(&segment)) {
                return true;
            }
            match self.next_segment(seen, write) {
                Next::Written => return true,
                Next::Refused(reason) => return self.count_lost(reason),
                Next::ByAnother if self.waited_too_long(&mut waiting_since) => {
                    return self.count_lost(Some(Refusal::Other));
                }
                Next::ByAnother => std::thread::yield_now(),
            }
        }
    }

    /// Takes a unit of the file for samples that may die young; `None` if there is no room.
    pub fn nursery(&self) -> Option<Nursery> {
        self.source.next_segment(std::process::id()).ok().and_then(Nursery::begin)
    }

    /// Nanoseconds of `CLOCK_MONOTONIC` since the start of the capture.
    pub fn now(&self) -> u64 {
        // The start may lie before that of the machine, where a capture goes on.
        let since = monotonic_ns().wrapping_sub(self.start_mono_ns);
        if i64::try_from(since).is_ok() { since } else { 0 }
    }

    /// Whether this path leads to the capture.
    pub fn is_of(&self, path: &Path) -> bool {
        self.source.is_at(path)
    }

    /// The live counters.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// For the child after a `fork`: from here on, appends and counts of this writer do nothing. Async-signal-safe.
    pub fn close_in_child(&self) {
        self.board.close();
    }

    /// Claims the next segment, unless another thread does or did since `seen`, and writes into it before the others
    /// can: on a loaded machine they may fill it before this thread runs again.
    fn next_segment(&self, seen: u64, write: impl Fn(&Segment) -> bool) -> Next {
        if self.now() < self.retry_at_ns.load(Relaxed) {
            return Next::Refused(None);
        }
        // Asked each time, as a forked child that goes on writing needs segments of its own.
        let pid = std::process::id();
        let Some(claim) = self.slots.claim(pid) else {
            return Next::ByAnother;
        };
        if self.slots.exchanges() != seen {
            return Next::ByAnother;
        }
        self.slow_claim.store(false, Relaxed);
        let next = self.source.next_segment(pid);
        self.slow_claim.store(false, Relaxed);
        match next {
            Ok(segment) => {
                self.retry_pause_ns.store(RETRY_FIRST_NS, Relaxed);
                let written = write(&segment);
                claim.exchange(segment);
                if written { Next::Written } else { Next::Refused(Some(Refusal::Other)) }
            }
            Err(reason) => {
                self.begin_pause();
                Next::Refused(Some(reason))
            }
        }
    }

    fn waited_too_long(&self, since: &mut Option<Instant>) -> bool {
        let too_long =
            self.slow_claim.load(Relaxed) || since.get_or_insert_with(Instant::now).elapsed() > MAX_WAIT;
        if too_long {
            self.slow_claim.store(true, Relaxed);
        }
        too_long
    }

    fn begin_pause(&self) {
        let pause = self.retry_pause_ns.load(Relaxed);
        self.retry_at_ns.store(self.now().saturating_add(pause), Relaxed);
        self.retry_pause_ns.store((pause * 2).min(RETRY_MOST_NS), Relaxed);
    }

    fn count_lost(&self, reason: Option<Refusal>) -> bool {
        if let Some(lost) = atomics::u64_at(&self.header, at::LOST) {
            lost.fetch_add(1, Relaxed);
        }
        if let (Some(reason), Some(place)) = (reason, atomics::u32_at(&self.header, at::REFUSAL)) {
            place.store(reason as u32, Relaxed);
        }
        false
    }
}

/// What became of the wish for another segment.
enum Next {
    /// It was claimed, and the record is in it.
    Written,
    /// Another thread is at it, or has just done it.
    ByAnother,
    /// There is none, for this reason; `None` in the pause after a reason that was told.
    Refused(Option<Refusal>),
}

fn check_joinable(file: &File, path: &Path) -> Result<(), JoinError> {
    use std::os::unix::fs::FileExt;
    let owned = || path.to_owned();
    let mut page = [0; HEADER_LEN];
    let is_file = file.metadata().map_err(|source| JoinError::of_io(source, path))?.is_file();
    if !is_file || file.read_exact_at(&mut page, 0).is_err() {
        return Err(JoinError::NotACapture { path: owned() });
    }
    match Header::parse(&page) {
        Ok((header, _)) if header.page == HEADER_LEN && header.unit == UNIT => Ok(()),
        Ok(_) | Err(HeaderProblem::Newer { .. }) => Err(JoinError::OtherVersion { path: owned() }),
        Err(_) => Err(JoinError::NotACapture { path: owned() }),
    }
}

const _: () = assert!(FORMAT_MAJOR == 1, "another major version needs another way to join");
