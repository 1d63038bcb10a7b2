//! A capture that somebody looks at: what it said when it was read last, and when it is read again.
//!
//! In: its path. Out: the newest reading, or the one before where reading again would cost the machine too much. What
//! must not happen here: work for a capture that nobody looks at, or more than a small share of a processor for one.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::census;
use crate::lookup::Files;
use crate::messages::Failure;
use crate::name_cache::NameCache;
use crate::progress::Progress;
use crate::report::{Read, open};
use crate::serve::capture_list::Stamp;

/// A capture that is still written is not read sooner again.
const MIN_INTERVAL: Duration = Duration::from_secs(2);
/// Reading may take one part in this many of the time: the program wants the processors too.
const READ_TIME_DIVISOR: u32 = 20;
static READINGS: AtomicU64 = AtomicU64::new(0);
/// Captures that are kept ready.
const KEPT: usize = 6;

/// One capture.
pub(super) struct CachedCapture {
    path: PathBuf,
    seen: Mutex<Option<Seen>>,
}

/// What was seen, and when.
struct Seen {
    look: Look,
    stamp: Option<Stamp>,
    files: NameCache<Files>,
    next: Instant,
}

/// A reading of a capture.
#[derive(Clone)]
pub(super) struct Look {
    pub(super) read: Arc<Read>,
    /// Counts the readings of all captures: what is newer has more, whichever room made it.
    pub(super) version: u64,
    /// Whether its program still runs.
    pub(super) running: bool,
}

impl CachedCapture {
    /// The newest reading.
    ///
    /// # Errors
    /// If the file is no capture, or is gone.
    pub(super) fn look(&self) -> Result<Look, Failure> {
        let mut seen = unlocked(&self.seen);
        let stamp = Stamp::of(&self.path);
        if let Some(seen) = seen.as_ref() {
            let is_fresh = if seen.look.running { Instant::now() < seen.next } else { stamp == seen.stamp };
            if is_fresh {
                return Ok(seen.look.clone());
            }
        }
        let began = Instant::now();
        let before = seen.take();
        let version = READINGS.fetch_add(1, Ordering::Relaxed) + 1;
        // Names are remembered as long as it is the same file.
        let same = |before: &Seen| before.stamp.map(|s| s.file) == stamp.map(|s| s.file);
        let mut files = match before {
            Some(before) if same(&before) => before.files,
            _ => NameCache::new(Files::default()),
        };
        let capture = open(&self.path)?;
        let running = census::running(&capture).is_some();
        let read = Arc::new(Read::from(&capture, true, &mut files, &Progress::default()));
        let look = Look { read, version, running };
        let next = Instant::now() + MIN_INTERVAL.max(began.elapsed() * READ_TIME_DIVISOR);
        *seen = Some(Seen { look: look.clone(), stamp, files, next });
        Ok(look)
    }
}

/// The captures that were looked at last.
#[derive(Default)]
pub(super) struct CaptureCache(Mutex<VecDeque<Arc<CachedCapture>>>);

impl CaptureCache {
    pub(super) fn of(&self, path: &Path) -> Arc<CachedCapture> {
        let mut rooms = unlocked(&self.0);
        let at = rooms.iter().position(|room| room.path == path);
        let room = at
            .and_then(|at| rooms.remove(at))
            .unwrap_or_else(|| Arc::new(CachedCapture { path: path.to_owned(), seen: Mutex::new(None) }));
        rooms.push_front(Arc::clone(&room));
        rooms.truncate(KEPT);
        room
    }
}

/// A thread that died left nothing half done here.
fn unlocked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
