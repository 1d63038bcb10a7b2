//! What the supervisor reads by the clock: the program's processes and the limits around them.
//!
//! In: the program's pid. Out: records. Files stay open and buffers are reused; the search for descendants, which asks
//! every thread, is paced by its own cost.

use std::time::{Duration, Instant};

use nilometer_capture::{ProcessReading, Record, Surroundings, Writer};
use nilometer_host::cgroup::Cgroup;
use nilometer_host::memory::Machine;
use nilometer_host::process::{self, Process};
use nilometer_host::tree;

use super::gpus::Gpus;
use super::private::{Pace, Turn};
use crate::machine::{self, process_reading};

/// Descendants are looked for at most this often, and never for more than a thousandth of the time.
const SEARCH_INTERVAL: Duration = Duration::from_millis(900);
const SEARCH_TIME_DIVISOR: u32 = 1000;
/// Every so many readings a thorough one, with the files that are dear to read.
const THOROUGH_PERIOD: u64 = 8;
/// A process is young for so long. So many of them are read more often; a pool of many says as much by the usual readings.
const YOUNG: Duration = Duration::from_secs(30);
const MAX_YOUNG: usize = 4;
/// Commands of descendants are cut to this many characters.
const MAX_ROLE_CHARS: usize = 200;

/// All that is read again and again.
pub(crate) struct Readings {
    program: Option<Process>,
    descendants: Vec<Descendant>,
    private: Pace,
    next_search: Instant,
    had_descendants: bool,
    cgroup: Option<Cgroup>,
    machine: Machine,
    gpus: Gpus,
    buffer: Vec<u8>,
    count: u64,
    vm_peak: Option<u64>,
    vm_data: Option<u64>,
}

impl Readings {
    /// Of the process `pid`, before it starts.
    pub(crate) fn new(pid: u32) -> Self {
        Self {
            program: Process::open(pid),
            descendants: Vec::new(),
            private: Pace::new(),
            next_search: Instant::now(),
            had_descendants: false,
            cgroup: Cgroup::of(pid),
            machine: Machine::open(),
            gpus: Gpus::new(),
            buffer: Vec::new(),
            count: 0,
            vm_peak: None,
            vm_data: None,
        }
    }

    /// Reads everything once and writes it down.
    pub(crate) fn take(&mut self, writer: &Writer) {
        let thorough = self.count.is_multiple_of(THOROUGH_PERIOD);
        self.count += 1;
        if let Some(reading) = self.program() {
            writer.append(&Record::Process(Box::new(reading)));
        }
        self.take_descendants(writer);
        writer.append(&Record::Surroundings(self.surroundings(thorough)));
        let pids: Vec<u32> =
            self.program.as_ref().map(Process::pid).into_iter().chain(self.descendants()).collect();
        self.gpus.tick(&pids, writer, &mut self.buffer);
    }

    /// The limits and counters now; a `thorough` look reads all of them.
    pub(crate) fn surroundings(&mut self, thorough: bool) -> Surroundings {
        machine::surroundings(&self.machine, self.cgroup.as_mut(), thorough, &mut self.buffer)
    }

    /// The largest address space and private data of the program that any reading saw.
    pub(crate) fn peaks(&self) -> (Option<u64>, Option<u64>) {
        (self.vm_peak, self.vm_data)
    }

    /// Whether the program had descendants at any reading.
    pub(crate) fn had_descendants(&self) -> bool {
        self.had_descendants
    }

    /// The processes below the program that were there at the last reading.
    pub(crate) fn descendants(&self) -> impl Iterator<Item = u32> {
        self.descendants.iter().map(|one| one.process.pid())
    }

    fn program(&mut self) -> Option<ProcessReading> {
        let reading = process_reading(self.program.as_ref()?, &mut self.buffer)?;
        self.vm_peak = self.vm_peak.max(reading.vm_peak);
        self.vm_data = self.vm_data.max(reading.vm_data);
        Some(reading)
    }

    fn take_descendants(&mut self, writer: &Writer) {
        let now = Instant::now();
        if now >= self.next_search {
            self.search(writer);
            self.next_search = now + SEARCH_INTERVAL.max(now.elapsed() * SEARCH_TIME_DIVISOR);
        }
        let buffer = &mut self.buffer;
        let pace = &mut self.private;
        self.descendants.retain_mut(|descendant| {
            let reading = process_reading(&descendant.process, buffer);
            let lives = reading.is_some();
            descendant.read = Instant::now();
            if let Some(mut reading) = reading {
                reading.private = pace.read(&mut descendant.turn, || descendant.process.private(buffer));
                writer.append(&Record::Process(Box::new(reading)));
            }
            lives
        });
    }

    /// Whether there are processes that are read more often.
    pub(crate) fn has_young(&self) -> bool {
        (1..=MAX_YOUNG).contains(&self.descendants.len())
            && self.descendants.iter().any(|one| one.found.elapsed() < YOUNG)
    }

    /// Reads those that were not read for so long. What has ended is left to the usual reading.
    pub(crate) fn take_young(&mut self, writer: &Writer, every: Duration) {
        if !self.has_young() {
            return;
        }
        for one in &mut self.descendants {
            if one.found.elapsed() < YOUNG && one.read.elapsed() >= every {
                one.read = Instant::now();
                if let Some(reading) = process_reading(&one.process, &mut self.buffer) {
                    writer.append(&Record::Process(Box::new(reading)));
                }
            }
        }
    }

    fn search(&mut self, writer: &Writer) {
        let Some(program) = self.program.as_ref().map(Process::pid) else { return };
        for pid in tree::descendants(program, &mut self.buffer) {
            if self.descendants.iter().any(|one| one.process.pid() == pid) {
                continue;
            }
            let Some(process) = Process::open(pid) else { continue };
            self.had_descendants = true;
            if let Some(child) = self.child(&process) {
                writer.append(&child);
            }
            let now = Instant::now();
            self.descendants.push(Descendant { process, turn: Turn::new(), found: now, read: now });
        }
    }

    /// Who started it, and by which command.
    fn child(&mut self, process: &Process) -> Option<Record> {
        let parent = process.stat(&mut self.buffer)?.parent;
        let words = process::command_line(process.pid(), &mut self.buffer)?;
        let role: String = words.join(" ").chars().take(MAX_ROLE_CHARS).collect();
        Some(Record::Child { pid: u64::from(process.pid()), parent, role })
    }
}

/// A process below the program, and when its own part of its memory is read next.
struct Descendant {
    process: Process,
    turn: Turn,
    found: Instant,
    /// When it was read last.
    read: Instant,
}
