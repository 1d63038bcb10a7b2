#![expect(
    unsafe_code,
    reason = "asks the C library about each of its arenas through a symbol found at run time"
)]
//! How the free memory of the C allocator lies in its arenas: one for the main thread, more for others.
//!
//! In: a reading, at the end of a cycle. Out: now and then a line of JSON, where so much is free that it is worth telling.
//! What must not happen here: a question that is dear, which it is where there are very many free blocks; more of them
//! than a few in a run; a large block of memory, whose freeing would change what the allocator does next.

use std::ffi::c_int;
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::os::fd::{FromRawFd as _, IntoRawFd as _};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

use nilometer_capture::Counters;

use crate::heap::symbol;

/// Worth a question: so many free bytes, ...
const MIN_FREE_BYTES: u64 = 32 << 20;
/// ... and one in so many of those that are resident.
const MIN_FREE_DIVISOR: u64 = 8;
/// Worth another one: a quarter more than at the last.
const RISE_DIVISOR: u64 = 4;
const MAX_LOOKS: u32 = 8;
/// The figures of the whole allocator took this long: those of each arena take some three times as long.
const SLOW_NS: u64 = 2_000_000;

/// What was asked so far.
#[derive(Debug, Default)]
pub(crate) struct Arenas {
    looks: AtomicU32,
    told_free: AtomicU64,
}

impl Arenas {
    /// How the free memory lies, if that is worth a question now.
    pub(crate) fn look(&self, counters: &Counters) -> Option<String> {
        let (free, resident) = (counters.heap_free?, counters.rss_anon?);
        let told = self.told_free.load(Relaxed);
        let enough = free >= MIN_FREE_BYTES && free.saturating_mul(MIN_FREE_DIVISOR) >= resident;
        let more = free.saturating_sub(told) >= told / RISE_DIVISOR;
        if !enough || !more || counters.cost_ns.is_none_or(|cost| cost > SLOW_NS) {
            return None;
        }
        if self.looks.fetch_add(1, Relaxed) >= MAX_LOOKS {
            return None;
        }
        self.told_free.store(free, Relaxed);
        ask().map(Told::json)
    }
}

/// What the arenas have, bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Told {
    /// How many there are, that of the main thread included.
    arenas: u64,
    main_system: u64,
    main_free: u64,
    others_system: u64,
    others_free: u64,
    /// The most that one of the others has free.
    largest_free: u64,
}

impl Told {
    fn json(self) -> String {
        format!(
            r#"{{"count":{},"main_system":{},"main_free":{},"others_system":{},"others_free":{},"largest_free":{}}}"#,
            self.arenas,
            self.main_system,
            self.main_free,
            self.others_system,
            self.others_free,
            self.largest_free
        )
    }
}

fn ask() -> Option<Told> {
    let symbol = symbol(c"malloc_info")?;
    // SAFETY: glibc declares `int malloc_info(int, FILE *)`.
    let call = unsafe {
        std::mem::transmute::<*mut libc::c_void, unsafe extern "C" fn(c_int, *mut libc::FILE) -> c_int>(
            symbol,
        )
    };
    // SAFETY: the name is a C string.
    let descriptor = unsafe { libc::memfd_create(c"nilometer".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return None;
    }
    // SAFETY: the descriptor is new and nobody else's.
    let mut written = unsafe { File::from_raw_fd(descriptor) };
    let descriptor = written.try_clone().ok()?.into_raw_fd();
    // SAFETY: the descriptor is open and ours; the mode is a C string.
    let stream = unsafe { libc::fdopen(descriptor, c"w".as_ptr()) };
    if stream.is_null() {
        // SAFETY: the descriptor is still ours; nothing else will close it.
        unsafe { libc::close(descriptor) };
        return None;
    }
    // SAFETY: the stream is open; the function holds the lock of one arena at a time while it counts.
    let failed = unsafe { call(0, stream) } != 0;
    // SAFETY: the stream is open and not used after this; its descriptor is closed with it.
    let lost = unsafe { libc::fclose(stream) } != 0;
    if failed || lost || written.rewind().is_err() {
        return None;
    }
    let mut lines = Lines::default();
    let mut buffer = [0_u8; 4096];
    loop {
        match written.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => lines.hear(buffer.get(..length)?),
            Err(_) => return None,
        }
    }
    (lines.told.arenas > 0).then_some(lines.told)
}

/// Takes the answer line by line, without keeping it.
struct Lines {
    line: [u8; 128],
    length: usize,
    /// Inside of an arena: what it took from the system, and has free.
    arena: Option<(u64, u64)>,
    told: Told,
}

impl Default for Lines {
    fn default() -> Self {
        Self { line: [0; 128], length: 0, arena: None, told: Told::default() }
    }
}

impl Lines {
    fn hear(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if *byte == b'\n' {
                let line = self.line;
                self.end(line.get(..self.length).unwrap_or_default());
                self.length = 0;
            } else if let Some(place) = self.line.get_mut(self.length) {
                *place = *byte;
                self.length += 1;
            }
        }
    }

    fn end(&mut self, line: &[u8]) {
        if line.starts_with(b"<heap ") {
            self.arena = Some((0, 0));
        } else if line.starts_with(b"</heap>") {
            let Some((system, free)) = self.arena.take() else { return };
            let told = &mut self.told;
            told.arenas += 1;
            if told.arenas == 1 {
                (told.main_system, told.main_free) = (system, free);
            } else {
                told.others_system = told.others_system.saturating_add(system);
                told.others_free = told.others_free.saturating_add(free);
                told.largest_free = told.largest_free.max(free);
            }
        } else if let (Some((system, free)), Some(bytes)) = (&mut self.arena, size(line)) {
            if line.starts_with(b"<total ") && !line.starts_with(br#"<total type="mmap""#) {
                *free = free.saturating_add(bytes);
            } else if line.starts_with(br#"<system type="current""#) {
                *system = bytes;
            }
        }
    }
}

/// The number in `size="..."`.
fn size(line: &[u8]) -> Option<u64> {
    let word = br#" size=""#;
    let at = line.windows(word.len()).position(|part| part == word)? + word.len();
    let digits = line.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit());
    digits.copied().try_fold(0_u64, |sum, digit| sum.checked_mul(10)?.checked_add(u64::from(digit - b'0')))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn arenas_are_read_from_pieces_of_the_answer() {
        let text = br#"<malloc version="1">
<heap nr="0">
<sizes>
  <size from="33" to="48" total="96" count="2"/>
</sizes>
<total type="fast" count="2" size="96"/>
<total type="rest" count="3" size="1000"/>
<system type="current" size="5000"/>
<system type="max" size="6000"/>
<aspace type="total" size="5000"/>
</heap>
<heap nr="1">
<total type="fast" count="0" size="0"/>
<total type="rest" count="3" size="300"/>
<system type="current" size="400"/>
</heap>
<heap nr="2">
<total type="rest" count="3" size="700"/>
<system type="current" size="900"/>
</heap>
<total type="fast" count="2" size="96"/>
<total type="rest" count="9" size="2000"/>
<system type="current" size="6300"/>
</malloc>
"#;
        for piece in [1, 7, 4096] {
            let mut lines = Lines::default();
            text.chunks(piece).for_each(|bytes| lines.hear(bytes));
            let told = Told {
                arenas: 3,
                main_system: 5000,
                main_free: 1096,
                others_system: 1300,
                others_free: 1000,
                largest_free: 700,
            };
            assert_eq!(lines.told, told);
        }
    }

    #[test]
    fn a_number_that_is_none_or_too_long_is_none() {
        assert_eq!(size(br#"<total type="rest" count="1" size="x"/>"#), Some(0));
        assert_eq!(size(br#"<total size="99999999999999999999999"/>"#), None);
        assert_eq!(size(b"<sizes>"), None);
    }

    #[test]
    fn it_is_asked_where_much_is_free_and_again_where_much_more_is() {
        let at = |free: u64, resident: u64, cost: u64| Counters {
            heap_free: Some(free << 20),
            rss_anon: Some(resident << 20),
            cost_ns: Some(cost),
            ..Counters::default()
        };
        let arenas = Arenas::default();
        assert_eq!(arenas.look(&at(31, 100, 1000)), None);
        assert_eq!(arenas.look(&at(40, 900, 1000)), None);
        assert_eq!(arenas.look(&at(40, 100, 3_000_000)), None);
        assert_eq!(arenas.looks.load(Relaxed), 0);
        let first = arenas.look(&at(40, 100, 1000));
        assert_eq!(arenas.looks.load(Relaxed), 1);
        // Where the C library is glibc there is an answer, which has the main arena at least.
        assert!(first.is_none_or(|json| json.starts_with(r#"{"count":"#)));
        arenas.look(&at(49, 100, 1000));
        assert_eq!(arenas.looks.load(Relaxed), 1);
        arenas.look(&at(50, 100, 1000));
        assert_eq!(arenas.looks.load(Relaxed), 2);
    }
}
