//! Memory of GPUs as their driver tells it, for the program and for all others that use them.
//!
//! In: the program's processes. Out: a record of each GPU whenever its numbers changed, facts that say which it is, or the fact that the driver
//! did not answer. The driver's library is loaded into this process once one of the program's has CUDA's. A thread of its own asks it: a
//! driver may take seconds to answer, or never answer. What must not happen here: a library that is loaded without need; a reading or a
//! signal that waits for the driver.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SendError, Sender, channel};
use std::time::{Duration, Instant};

use nilometer_capture::{GpuCounts, Observation, Record, Writer};
use nilometer_host::maps;
use nilometer_host::nvml::{Driver, Gpu, Memory, Refusal};

use super::kernel;

/// How the file of CUDA's driver begins. A process that has none of it uses no GPU of NVIDIA's.
const CUDA: &str = "libcuda.so";
/// Looks and readings come after a quarter of the time since the first one, within these bounds: a short run has a few.
const MIN_INTERVAL: Duration = Duration::from_secs(1);
const MAX_INTERVAL: Duration = Duration::from_secs(10);
const AGE_PER_INTERVAL: u32 = 4;
/// Looks take this part of the time at most.
const TIME_PER_COST: u32 = 1000;
/// Besides the program itself so many of its descendants are looked at each time, in turn.
const DESCENDANTS_PER_LOOK: usize = 4;
/// How long the end of the run waits for a driver that is just answering.
const PATIENCE: Duration = Duration::from_millis(100);

/// What is known of the machine's GPUs.
pub(super) struct Gpus {
    state: State,
    began: Instant,
    next: Instant,
}

enum State {
    /// No process uses CUDA yet; the descendants looked at so far.
    Waits(usize),
    Asks(Asking),
    Over,
}

/// The thread that asks.
struct Asking {
    /// Whose part is asked for.
    questions: Sender<Vec<u32>>,
    answers: Receiver<Answer>,
    /// It has not answered yet.
    is_busy: bool,
    said: BTreeMap<u32, Memory>,
}

enum Answer {
    Gpus(Vec<Gpu>),
    Memory(Instant, Vec<(u32, Memory)>),
    Refused(Refusal),
}

impl Gpus {
    pub(super) fn new() -> Self {
        let now = Instant::now();
        Self { state: State::Waits(0), began: now, next: now }
    }

    /// The program's processes, itself first: looks what they use, or asks for what they hold.
    pub(super) fn tick(&mut self, pids: &[u32], writer: &Writer, buffer: &mut Vec<u8>) {
        if let State::Asks(asking) = &mut self.state
            && !asking.hear(writer)
        {
            self.state = State::Over;
        }
        let now = Instant::now();
        if now < self.next {
            return;
        }
        let age = now.saturating_duration_since(self.began);
        let interval = (age / AGE_PER_INTERVAL).clamp(MIN_INTERVAL, MAX_INTERVAL);
        match &mut self.state {
            State::Waits(looked) => {
                let uses_cuda =
                    looks(pids, looked).any(|pid| maps::has_file(pid, CUDA, buffer) == Some(true));
                self.next = now + interval.max(now.elapsed() * TIME_PER_COST);
                if uses_cuda {
                    // A driver that never answers is known by what follows, which is nothing.
                    writer.append(&Record::Fact { key: "nvml.asked".to_owned(), value: "1".to_owned() });
                    self.state = Asking::start().map_or(State::Over, State::Asks);
                    (self.began, self.next) = (now, now);
                }
            }
            State::Asks(asking) => {
                if asking.ask(pids) {
                    self.next = now + interval;
                }
            }
            State::Over => self.next = now + MAX_INTERVAL,
        }
    }
}

/// The program, and the descendants whose turn it is.
fn looks<'p>(pids: &'p [u32], looked: &mut usize) -> impl Iterator<Item = u32> + use<'p> {
    let (program, others) = pids.split_at(pids.len().min(1));
    let from = *looked;
    *looked = from.wrapping_add(DESCENDANTS_PER_LOOK);
    let nth = move |turn: usize| others.get(from.wrapping_add(turn) % others.len().max(1));
    program.iter().chain((0..DESCENDANTS_PER_LOOK.min(others.len())).filter_map(nth)).copied()
}

impl Asking {
    /// `None` if there is no thread to be had.
    fn start() -> Option<Self> {
        let (questions, asked) = channel();
        let (answering, answers) = channel();
        let thread = std::thread::Builder::new().name("nilometer-gpus".to_owned());
        let work = move || {
            kernel::step_back();
            answer(&asked, &answering).unwrap_or_default();
        };
        thread.spawn(work).ok()?;
        Some(Self { questions, answers, is_busy: true, said: BTreeMap::new() })
    }

    /// Asks for what these processes hold; whether it could.
    fn ask(&mut self, pids: &[u32]) -> bool {
        let can = !self.is_busy && self.questions.send(pids.to_vec()).is_ok();
        self.is_busy |= can;
        can
    }

    /// Writes down what was answered; whether more may come.
    fn hear(&mut self, writer: &Writer) -> bool {
        let fact = |key: String, value: String| writer.append(&Record::Fact { key, value });
        while let Ok(answer) = self.answers.try_recv() {
            self.is_busy = false;
            match answer {
                Answer::Gpus(gpus) => {
                    for Gpu { index, uuid, name, is_cut } in gpus {
                        fact(format!("nvml.{index}.uuid"), uuid);
                        fact(format!("nvml.{index}.name"), name);
                        fact(format!("nvml.{index}.cut"), u8::from(is_cut).to_string());
                    }
                }
                Answer::Memory(at, all) => {
                    let age = u64::try_from(at.elapsed().as_nanos()).unwrap_or(0);
                    let at_ns = writer.now().saturating_sub(age);
                    for (index, memory) in all {
                        if self.said.insert(index, memory) != Some(memory) {
                            writer.append_at(at_ns, &record(index, &memory));
                        }
                    }
                }
                Answer::Refused(refusal) => {
                    fact("nvml.refused".to_owned(), refusal.to_string());
                    return false;
                }
            }
        }
        true
    }
}

fn record(index: u32, memory: &Memory) -> Record {
    let Memory { total, free, reserved, own } = *memory;
    let counts = GpuCounts { index: Some(index.into()), total: Some(total), free: Some(free), reserved, own };
    Record::Observation(Observation::Gpu(counts))
}

/// Answers until nobody asks any more. An error is of nobody who listens.
fn answer(asked: &Receiver<Vec<u32>>, answers: &Sender<Answer>) -> Result<(), SendError<Answer>> {
    let driver = match Driver::load() {
        Ok(driver) => driver,
        Err(refusal) => return answers.send(Answer::Refused(refusal)),
    };
    answers.send(Answer::Gpus(driver.gpus().cloned().collect()))?;
    for pids in asked {
        let at = Instant::now();
        match driver.memory(&pids) {
            Ok(all) => answers.send(Answer::Memory(at, all))?,
            Err(refusal) => return answers.send(Answer::Refused(refusal)),
        }
    }
    Ok(())
}

impl Drop for Asking {
    /// Lets the thread come to an end, so that the library is shut down before this process is.
    fn drop(&mut self) {
        let (nobody, _) = channel();
        drop(std::mem::replace(&mut self.questions, nobody));
        let until = Instant::now() + PATIENCE;
        while let Ok(_late) = self.answers.recv_timeout(until.saturating_duration_since(Instant::now())) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_looked_at_each_time_and_its_descendants_in_turn() {
        let pids: Vec<u32> = (1..=7).collect();
        let mut looked = 0;
        let mut seen = || looks(&pids, &mut looked).collect::<Vec<u32>>();
        assert_eq!(seen(), [1, 2, 3, 4, 5]);
        assert_eq!(seen(), [1, 6, 7, 2, 3]);
        assert_eq!(looks(&pids[..2], &mut looked).collect::<Vec<u32>>(), [1, 2]);
        assert_eq!(looks(&[], &mut looked).count(), 0);
    }
}
