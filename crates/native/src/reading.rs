//! One reading: counters of the kernel, the C allocator and Python, taken together.
//!
//! In: the time, and the GIL where Python's part is wanted. Out: [`Counters`]. What must not happen here: two readings
//! at once, a part that grew dear in every reading, memory of ours among
//! the program's, a file descriptor that stays open.

use std::fs::File;
use std::io::Read;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};

use nilometer_capture::Counters;
use nilometer_host::status::Status;

use crate::cost_limiter::CostLimiter;
use crate::heap::{Source, thread_cpu_ns};
use crate::own_memory;
use crate::recorder::Recorder;

/// Which parts of a reading are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Those that are cheap.
    Cheap,
    /// Those that are cheap, or rested for so many times their cost.
    Paced(u64),
    /// All of them, whatever they cost; for moments that come once.
    Whole,
}

/// What needs the GIL: the cheap part and the dear one.
pub(crate) struct Python<'a> {
    pub(crate) collector: &'a dyn Fn(&mut Counters),
    pub(crate) allocator: &'a dyn Fn(&mut Counters),
}

/// What was read.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    pub(crate) counters: Counters,
    /// Whether no part was left out for its cost.
    pub(crate) is_whole: bool,
    /// What its dear parts took, nanoseconds.
    pub(crate) dear_ns: u64,
}

/// Takes readings, one at a time.
#[derive(Debug)]
pub(crate) struct Reader {
    heap: Source,
    recorder: Recorder,
    heap_pace: CostLimiter,
    python_pace: CostLimiter,
    busy: AtomicBool,
}

impl Reader {
    pub(crate) fn new(heap: Source) -> Self {
        Self {
            heap,
            recorder: Recorder::find(),
            heap_pace: CostLimiter::default(),
            python_pace: CostLimiter::default(),
            busy: AtomicBool::new(false),
        }
    }

    /// Reads at `now`; `python` adds what needs the GIL. `None` while another reading is under way: a collection that
    /// strikes inside of one, or the ticker.
    pub(crate) fn read(&self, now: u64, depth: Depth, python: Option<&Python<'_>>) -> Option<Taken> {
        if self.busy.swap(true, Acquire) {
            return None;
        }
        let _end = EndOfReading(&self.busy);
        let begin = thread_cpu_ns();
        let mut counters = Counters::default();
        read_status(&mut counters);
        let (mut is_whole, mut dear_ns) = (true, 0);
        let mut wanted = |pace: &CostLimiter| {
            let wanted = match depth {
                Depth::Whole => true,
                Depth::Cheap => pace.dear_cost() == 0,
                Depth::Paced(pause) => pace.is_cheap_or_due(pause, now),
            };
            is_whole &= wanted;
            wanted
        };
        if wanted(&self.heap_pace) {
            dear_ns += self.read_heap(now, &mut counters);
        }
        if let Some(python) = python {
            // Never left out: without it nobody knows what is garbage.
            (python.collector)(&mut counters);
            if wanted(&self.python_pace) {
                let begin = thread_cpu_ns();
                (python.allocator)(&mut counters);
                dear_ns += self.python_pace.note_dear(now, since(begin));
            }
        }
        counters.cost_ns = Some(since(begin));
        Some(Taken { counters, is_whole, dear_ns })
    }

    /// What the parts that are dear take together, nanoseconds; 0 while none is.
    pub(crate) fn dear_cost(&self) -> u64 {
        self.heap_pace.dear_cost() + self.python_pace.dear_cost()
    }

    /// Gives what it took if that is dear.
    fn read_heap(&self, now: u64, counters: &mut Counters) -> u64 {
        let begin = thread_cpu_ns();
        if let Some(heap) = self.heap.read(counters.vm_data) {
            counters.heap_in_use = Some(heap.in_use.saturating_sub(own_memory::held()));
            counters.heap_mapped = Some(heap.mapped);
            counters.heap_free = Some(heap.free);
            counters.heap_system = Some(heap.system);
            // Only beside the heap they lie in: the two are subtracted from each other.
            if let Some((used, reserved)) = self.recorder.pools() {
                counters.pool_used = Some(used);
                counters.pool_reserved = Some(reserved);
            }
        }
        self.heap_pace.note_dear(now, since(begin))
    }
}

/// Ends the reading also when it panics.
struct EndOfReading<'a>(&'a AtomicBool);

impl Drop for EndOfReading<'_> {
    fn drop(&mut self) {
        self.0.store(false, Release);
    }
}

/// CPU time of this thread since `begin`. Not the time on the wall: on a busy machine that is mostly other programs', and
/// readings would become rare just where a program is slowed down already.
fn since(begin: u64) -> u64 {
    thread_cpu_ns().saturating_sub(begin).max(1)
}

/// The kernel's part. Opened anew each time: a descriptor of ours that stays open would shift the numbers of the
/// program's own, and a daemon that closes all descriptors would close it.
fn read_status(counters: &mut Counters) {
    // The wanted lines stand in the first kilobyte; masks of many processors only make the rest longer.
    let mut buffer = [0_u8; 4096];
    let Ok(length) = File::open("/proc/self/status").and_then(|mut file| file.read(&mut buffer)) else {
        return;
    };
    let status = Status::parse(buffer.get(..length).unwrap_or_default());
    counters.rss_anon = status.rss_anon;
    counters.rss_file = status.rss_file;
    counters.rss_shmem = status.rss_shmem;
    counters.swap = status.swap;
    counters.vm_size = status.vm_size;
    counters.vm_data = status.vm_data;
    counters.threads = status.threads;
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn a_reading_has_the_kernels_figures_and_its_cost() {
        let reader = Reader::new(Source::Absent);
        let Taken { counters, is_whole, .. } = reader.read(1, Depth::Paced(400), None).unwrap();
        assert!(is_whole);
        assert!(counters.rss_anon > Some(4096));
        assert!(counters.threads >= Some(1));
        assert!(counters.vm_size >= counters.rss_anon);
        assert!(counters.cost_ns > Some(0));
        assert_eq!((counters.heap_in_use, counters.py_in_use), (None, None));
    }

    #[test]
    fn a_reading_inside_a_reading_is_refused_and_the_next_one_is_not() {
        let reader = Reader::new(Source::Absent);
        let inner = std::cell::Cell::new(false);
        let nested = |_: &mut Counters| inner.set(reader.read(1, Depth::Whole, None).is_some());
        let python = Python { collector: &nested, allocator: &|_| {} };
        assert!(reader.read(1, Depth::Whole, Some(&python)).is_some());
        assert!(!inner.get());
        assert!(reader.read(1, Depth::Paced(400), None).is_some());
    }

    #[test]
    fn a_dear_allocator_is_left_out_and_the_collector_never() {
        let reader = Reader::new(Source::Absent);
        let asked = std::cell::Cell::new((0, 0));
        let collector = |_: &mut Counters| asked.set((asked.get().0 + 1, asked.get().1));
        let allocator = |_: &mut Counters| asked.set((asked.get().0, asked.get().1 + 1));
        let python = Python { collector: &collector, allocator: &allocator };
        reader.python_pace.note(1_000_000_000, 250_000_000);
        let taken = reader.read(1_000_000_001, Depth::Paced(400), Some(&python)).unwrap();
        assert!(!taken.is_whole);
        assert_eq!(asked.get(), (1, 0));
        assert!(reader.read(1_000_000_002, Depth::Whole, Some(&python)).unwrap().is_whole);
        assert_eq!(asked.get(), (2, 1));
    }

    #[test]
    fn no_descriptor_stays_open() {
        let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
        let reader = Reader::new(Source::Absent);
        let before = open();
        for _ in 0..100 {
            reader.read(1, Depth::Whole, None);
        }
        assert!(open() < before + 50, "descriptors pile up");
    }
}
