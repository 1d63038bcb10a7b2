//! Server-sent events: a browser is told when the capture it shows was read anew, until the program ends.
//!
//! In: a capture. Out: small events. What must not happen here: work that goes on for a browser that went away.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hyper::body::Bytes;
use tokio::sync::mpsc::{Sender, channel};
use tokio::time::sleep;

use crate::serve::answer::Answer;
use crate::serve::capture_cache::CachedCapture;

/// Between two looks whether there is something new.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// A word that keeps the connection, and finds out whether it still is one.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);
/// A browser that reads nothing for so long is gone.
const MAX_STALL: Duration = Duration::from_secs(30);
/// Browsers at the same time.
pub(super) const MAX_BROWSERS: usize = 32;

/// How many listen.
#[derive(Clone, Default)]
pub(super) struct Listeners(Arc<AtomicUsize>);

/// A place among those that listen; given back when it is dropped.
pub(super) struct Place(Listeners);

impl Listeners {
    /// A place, if there is one.
    pub(super) fn take(&self) -> Option<Place> {
        let place = Place(self.clone());
        (self.0.fetch_add(1, Ordering::Relaxed) < MAX_BROWSERS).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Tells until the program has ended, the capture is gone or the browser is.
pub(super) fn events(room: Arc<CachedCapture>, place: Place) -> Answer {
    let (to, pieces) = channel(1);
    drop(tokio::spawn(follow(to, room, place)));
    Answer::events(pieces)
}

async fn follow(to: Sender<Bytes>, room: Arc<CachedCapture>, _place: Place) {
    let mut told = 0;
    let mut last = Instant::now();
    while !to.is_closed() {
        let room = Arc::clone(&room);
        let look =
            tokio::task::spawn_blocking(move || room.look().map(|look| (look.version, look.running)).ok());
        let Ok(Some((version, running))) = look.await else { return };
        let event = match running {
            false => format!("event: ended\ndata: {version}\n\n"),
            true if version != told => format!("event: version\ndata: {version}\n\n"),
            true if last.elapsed() >= KEEPALIVE_INTERVAL => ": nothing new\n\n".to_owned(),
            true => String::new(),
        };
        if !event.is_empty() {
            if to.send_timeout(Bytes::from(event), MAX_STALL).await.is_err() {
                return;
            }
            (told, last) = (version, Instant::now());
        }
        if !running {
            return;
        }
        sleep(POLL_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_only_so_many_places() {
        let listeners = Listeners::default();
        let mut places: Vec<_> = (0..MAX_BROWSERS).filter_map(|_| listeners.take()).collect();
        assert_eq!(places.len(), MAX_BROWSERS);
        assert!(listeners.take().is_none() && listeners.take().is_none());
        places.pop();
        assert!(listeners.take().is_some());
    }
}
