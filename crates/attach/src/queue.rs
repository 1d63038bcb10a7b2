//! The pending call of `CPython` 3.10 to 3.13: written into the queue while all threads are stopped.
//!
//! In: the location of the queue, and the path of a script. Out: [`Queued`]. Python's main thread will call
//! `PyRun_SimpleString` between two of its own instructions, on a text that runs the script. What must not
//! happen here: a write while the queue's lock is held, or after a number in it was impossible.

use std::path::Path;

use crate::image::Image;
use crate::layout::{Breaker, Fields, Lock, QueueLocation, is_pointer};
use crate::memory::Memory;
use crate::refusal::Refusal;
use crate::target::Queue;
use crate::words;

/// `_Py_PENDING_MAINTHREADONLY` of 3.13.
const MAIN_ONLY: u64 = 1;

/// A call that waits in the queue, or was taken.
#[derive(Debug)]
pub(crate) struct Queued {
    found: QueueLocation,
    fields: Fields,
    slot: u32,
    function: u64,
    text: u64,
    length: usize,
}

/// The indexes of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    first: u32,
    last: u32,
    places: u32,
}

impl Window {
    fn waiting(self) -> u32 {
        (self.last + self.places - self.first) % self.places
    }

    fn has(self, slot: u32) -> bool {
        (slot + self.places - self.first) % self.places < self.waiting()
    }
}

/// The text for Python to run. It uses no name of `__main__`, because a program may change any, and leaves
/// none behind.
fn text(script: &Path) -> Option<String> {
    let path = script.to_str().filter(|path| !path.contains(['\'', '\\', '\n', '\0']))?;
    Some(format!(
        "try:\n __builtins__.exec((lambda f:(f.read(),f.close())[0])(__builtins__.open('{path}','rb')),{{}})\n\
         except:\n pass\n"
    ))
}

impl Queued {
    /// Writes the call that runs `script`. All threads must be stopped.
    pub(crate) fn write(
        memory: Memory,
        found: QueueLocation,
        queue: &Queue,
        images: &[Image],
        script: &Path,
    ) -> Result<Self, Refusal> {
        let mut text = text(script).ok_or(Refusal::NoRoom)?.into_bytes();
        text.push(0);
        let fields = queue.layout.fields;
        let window = check(memory, &found, &fields)?;
        for slot in (0..fields.places).filter(|slot| window.has(*slot)) {
            if memory.word(place(&found, &fields, slot)) == Some(queue.run) {
                return Err(Refusal::Busy(words::CALL_STILL_WAITS));
            }
        }
        let images: Vec<_> = images.iter().collect();
        let at = crate::spare_bytes::find(memory, &images, text.len())?;

        let slot = window.last;
        let last = (slot + 1) % fields.places;
        let count = if fields.counts { window.waiting() + 1 } else { 1 };
        let here = place(&found, &fields, slot);
        // Pages that were just read can be written, unless the process was killed.
        memory
            .write(at, &text)
            .and_then(|()| {
                memory.write(here, &queue.run.to_le_bytes())?;
                memory.write(here + 8, &at.to_le_bytes())?;
                if fields.stride > 16 {
                    memory.write(here + 16, &MAIN_ONLY.to_le_bytes()[..4])?;
                }
                memory.write(found.queue + fields.last, &last.to_le_bytes())?;
                memory.write(found.queue + fields.count, &count.to_le_bytes())?;
                raise(memory, found.breaker)
            })
            .ok_or(Refusal::Gone)?;
        Ok(Self { found, fields, slot, function: queue.run, text: at, length: text.len() })
    }

    /// Whether the main thread has taken the call; `None` if the process is gone.
    pub(crate) fn is_taken(&self, memory: Memory) -> Option<bool> {
        let window = window(memory, &self.found, &self.fields)?;
        let here = place(&self.found, &self.fields, self.slot);
        let is_ours = memory.word(here)? == self.function && memory.word(here + 8)? == self.text;
        Some(!(is_ours && window.has(self.slot)))
    }

    /// Tells the interpreter again to check the queue. Up to 3.12 a thread that was stopped while computing
    /// the flag clears it again. From 3.13 on its bits change atomically, and a write could undo a running
    /// thread's.
    pub(crate) fn nudge(&self, memory: Memory) {
        if let Breaker::Flag(_) = self.found.breaker {
            raise(memory, self.found.breaker).unwrap_or_default();
        }
    }

    /// Withdraws the call while all threads are stopped. True: it was still waiting.
    pub(crate) fn take_back(&self, memory: Memory) -> Result<bool, Refusal> {
        let window = check(memory, &self.found, &self.fields)?;
        if self.is_taken(memory) != Some(false) {
            return Ok(false);
        }
        // An empty text does nothing, wherever in the queue the call is.
        let emptied = memory.write(self.text, &[0]);
        if (self.slot + 1) % self.fields.places == window.last {
            let waiting = window.waiting() - 1;
            let count = if self.fields.counts { waiting } else { waiting.min(1) };
            memory
                .write(self.found.queue + self.fields.last, &self.slot.to_le_bytes())
                .and_then(|()| memory.write(self.found.queue + self.fields.count, &count.to_le_bytes()))
                .and_then(|()| self.clear(memory))
                .unwrap_or_default();
        }
        Ok(emptied.is_some())
    }

    /// Overwrites the text with zeros. Only valid once the script has begun or the call is out of the queue.
    pub(crate) fn clear(&self, memory: Memory) -> Option<()> {
        memory.write(self.text, &vec![0; self.length])
    }
}

/// The address of a slot in the queue.
fn place(found: &QueueLocation, fields: &Fields, slot: u32) -> u64 {
    found.queue + fields.calls + fields.stride * u64::from(slot)
}

fn window(memory: Memory, found: &QueueLocation, fields: &Fields) -> Option<Window> {
    let (first, last) = (memory.int(found.queue + fields.first)?, memory.int(found.queue + fields.last)?);
    (first < fields.places && last < fields.places).then_some(Window { first, last, places: fields.places })
}

/// Checks that the queue is sane and free.
fn check(memory: Memory, found: &QueueLocation, fields: &Fields) -> Result<Window, Refusal> {
    let unknown = Err(Refusal::Unknown("the queue"));
    match fields.lock {
        Lock::Semaphore(at) => {
            let lock = memory.word(found.queue + at).ok_or(Refusal::Gone)?;
            let value = if is_pointer(lock) { memory.word(lock) } else { None };
            match value {
                // The semaphore is free, and nobody waits for it.
                Some(1) => {}
                Some(value) if value & 0xffff_fffe == 0 => return Err(Refusal::Busy("the queue")),
                _ => return unknown,
            }
        }
        Lock::Byte(at) => match memory.byte(found.queue + at).ok_or(Refusal::Gone)? {
            0 => {}
            1..=3 => return Err(Refusal::Busy("the queue")),
            _ => return unknown,
        },
    }
    let Some(window) = window(memory, found, fields) else { return unknown };
    let count = memory.int(found.queue + fields.count).ok_or(Refusal::Gone)?;
    let fits = if fields.counts { count == window.waiting() } else { count <= 1 };
    if !fits {
        return unknown;
    }
    for slot in (0..fields.places).filter(|slot| window.has(*slot)) {
        if memory.word(place(found, fields, slot)).is_none_or(|function| !(4096..1 << 47).contains(&function))
        {
            return unknown;
        }
    }
    if window.waiting() >= fields.max_waiting {
        return Err(Refusal::Busy(words::QUEUE_IS_FULL));
    }
    Ok(window)
}

/// Tells the interpreter to check the queue.
fn raise(memory: Memory, breaker: Breaker) -> Option<()> {
    match breaker {
        Breaker::Flag(at) => memory.write(at, &1_u32.to_le_bytes()),
        // One byte only, so that the upper part of the word stays: 3.13's instrumentation version.
        Breaker::Bit(at, bit) => {
            let byte = memory.byte(at)? | u8::try_from(bit).ok()?;
            memory.write(at, &[byte])
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn a_window_goes_round() {
        let window = Window { first: 30, last: 2, places: 32 };
        assert_eq!(window.waiting(), 4);
        assert!(window.has(30) && window.has(31) && window.has(1) && !window.has(2) && !window.has(29));
        assert!(!Window { first: 5, last: 5, places: 32 }.has(5));
    }

    #[test]
    fn the_text_has_no_names_of_the_program() {
        let text = text(Path::new("/t/s.py")).unwrap();
        assert!(text.contains("'/t/s.py'"));
        assert_eq!(super::text(Path::new("/t/'s")), None);
    }

    /// A queue of 3.11 in our own memory: its words are the queue, the semaphore is separate.
    fn queue(change: impl FnOnce(&mut [u64], &mut u64)) -> Result<Window, Refusal> {
        let mut lock = Box::new(1_u64);
        let mut words = vec![0_u64; 70];
        words[0] = (&raw const *lock) as u64;
        change(&mut words, &mut lock);
        let found = QueueLocation { queue: words.as_ptr() as u64, breaker: Breaker::Flag(0), main_thread: 0 };
        check(Memory::of(std::process::id()), &found, &crate::layout::of(11).unwrap().fields)
    }

    #[test]
    fn only_a_free_and_sane_queue_is_written_to() {
        assert_eq!(queue(|_, _| ()).unwrap().waiting(), 0);
        assert_eq!(queue(|_, lock| *lock = 0), Err(Refusal::Busy("the queue")));
        assert_eq!(queue(|_, lock| *lock = 1 << 32), Err(Refusal::Busy("the queue")));
        assert_eq!(queue(|_, lock| *lock = 77), Err(Refusal::Unknown("the queue")));
        assert_eq!(queue(|words, _| words[0] = 0), Err(Refusal::Unknown("the queue")));
        assert_eq!(queue(|words, _| words[1] = 5), Err(Refusal::Unknown("the queue")));
        assert_eq!(queue(|words, _| words[66] = 99), Err(Refusal::Unknown("the queue")));
        // A waiting call in the first slot: `last` is 1, and its function must be plausible.
        assert_eq!(queue(|words, _| words[66] = 1 << 32), Err(Refusal::Unknown("the queue")));
        let one = queue(|words, _| (words[66], words[2]) = (1 << 32, 0x40_0000)).unwrap();
        assert_eq!(one.waiting(), 1);
        let full = queue(|words, _| {
            words[66] = 31 << 32;
            words[2..].iter_mut().step_by(2).take(31).for_each(|function| *function = 0x40_0000);
        });
        assert_eq!(full, Err(Refusal::Busy(words::QUEUE_IS_FULL)));
    }
}
