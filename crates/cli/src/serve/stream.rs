//! Server-sent events: a browser is told when the capture it shows was read anew, until the program ends.
//!
//! In: where to write. Out: small events. What must not happen here: a thread that goes on for a browser that went away.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::serve::answer::FORBID;
use crate::serve::capture_cache::CachedCapture;

/// Between two looks whether there is something new.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// A word that keeps the connection, and finds out whether it still is one.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);
/// Browsers at the same time.
const MAX_BROWSERS: usize = 32;

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
pub(super) fn tell(mut to: impl Write, room: &CachedCapture, _place: Place) {
    // A browser that went away is the usual end.
    follow(&mut to, room).unwrap_or_default();
}

fn follow(to: &mut impl Write, room: &CachedCapture) -> io::Result<()> {
    let mut head = String::from(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\
         Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n",
    );
    for (name, value) in FORBID {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    to.write_all(format!("{head}\r\n").as_bytes())?;
    let mut told = 0;
    let mut last = Instant::now();
    while let Ok(look) = room.look() {
        if look.version != told || !look.running {
            let event = if look.running { "version" } else { "ended" };
            chunk(to, &format!("event: {event}\ndata: {}\n\n", look.version))?;
            (told, last) = (look.version, Instant::now());
        } else if last.elapsed() >= KEEPALIVE_INTERVAL {
            chunk(to, ": nothing new\n\n")?;
            last = Instant::now();
        }
        if !look.running {
            break;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    to.write_all(b"0\r\n\r\n")?;
    to.flush()
}

fn chunk(to: &mut impl Write, text: &str) -> io::Result<()> {
    to.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())?;
    to.flush()
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
