//! Figures that leave the machine's corner while the program runs: `--metrics`, `--metrics-file`, `--otlp` of `nilometer run`.
//!
//! In: a capture that is being written. Out: answers to scrapes, a file, documents to a collector. What must not happen here: anything
//! that the program could feel. So what the surroundings refuse (an address in use, a folder that is not there, a collector that is
//! away) is a warning, and the program runs: a service that does not start because its metrics have no port is the worse outage, and
//! Prometheus tells of a target that is missing by `up == 0`. What is wrong with the words themselves ends the command before.

mod board;
mod door;
pub(crate) mod evaluate;
pub(crate) mod options;
mod otlp;
mod request;
mod textfile;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use nilometer_report::{Form, Status};

use self::board::Board;
use self::evaluate::{Evaluations, Haste};
use self::options::MetricsOptions;
use self::otlp::Exporter;
use crate::messages::{self, Failure, stderr_is_terminal};
use crate::status::{Evaluator, evaluated};
use crate::supervisor::kernel::Inherited;
use crate::words::metrics as words;
use crate::words::system::not_written;

const FIRST_DELAY: Duration = Duration::from_secs(3);
const MIN_INTERVAL: Duration = Duration::from_secs(15);
/// An evaluation may take one part in this many of the time, as the live line may.
const EVALUATION_TIME_DIVISOR: u32 = 200;
/// The end of the program waits no longer for the thread: a name may be looked up in it.
const MAX_FAREWELL: Duration = Duration::from_secs(3);
const STACK_BYTES: usize = 256 << 10;

/// What was asked for, with the address taken.
pub(crate) struct Prepared {
    options: MetricsOptions,
    listener: Option<TcpListener>,
}

impl Prepared {
    /// Takes the address, and says now what is wrong.
    ///
    /// # Errors
    /// If the file's name is none that the collector would read.
    pub(crate) fn of(options: &MetricsOptions) -> Result<Option<Self>, Failure> {
        if options.is_none() {
            return Ok(None);
        }
        if let Some(path) = &options.metrics_file
            && path.extension().is_none_or(|extension| extension != "prom")
        {
            return Err(words::no_prom(path));
        }
        let listener = options.metrics.and_then(|address| {
            if !address.ip().is_loopback() {
                messages::warning(words::open_to_others(address));
            }
            TcpListener::bind(address)
                .map_err(|error| messages::warning(words::address_taken(address, &error)))
                .ok()
        });
        let at = listener.as_ref().and_then(|listener| listener.local_addr().ok());
        if let Some(at) = at.filter(|at| Some(*at) != options.metrics) {
            messages::to_stderr(&words::served_at(at));
        }
        if let Some(path) = &options.metrics_file
            && let Err(error) = textfile::put(path, &Board::default().text(Form::Prometheus))
        {
            messages::warning(words::file_refused(path, &error));
        }
        Ok(Some(Self { options: options.clone(), listener }))
    }

    /// Begins to watch the capture. Only after the program was started: it must not have our threads in its fork.
    pub(crate) fn start(
        &self,
        capture: &Path,
        python: &str,
        flags: &[String],
        inherited: Inherited,
    ) -> Option<Metrics> {
        let evaluations = Arc::new(Evaluations::new(python, flags, capture, inherited, Haste::None)?);
        let board = Arc::new(Board::default());
        if let Some(address) = self.options.metrics {
            let listener = self.listener.as_ref().and_then(|listener| listener.try_clone().ok());
            if let Err(error) = door::open(listener, address, &board) {
                messages::warning(words::not_served(&error));
            }
        }
        let places = Places {
            board,
            file: self.options.metrics_file.clone(),
            exporter: self.options.otlp.clone().map(Exporter::new),
            began_ns: now_ns(),
            complaints: [None, None],
        };
        let (stop, stopped) = channel();
        let thread = {
            let evaluations = Arc::clone(&evaluations);
            let work = move || follow(&evaluations, places, &stopped);
            Builder::new().name("nilometer-status".to_owned()).stack_size(STACK_BYTES).spawn(work)
        };
        let thread = thread.map_err(|error| messages::warning(words::not_made(&error))).ok()?;
        Some(Metrics { capture: capture.to_owned(), evaluations, stop, thread })
    }
}

/// Figures that are being made.
pub(crate) struct Metrics {
    capture: PathBuf,
    evaluations: Arc<Evaluations>,
    stop: Sender<()>,
    thread: JoinHandle<Places>,
}

impl Metrics {
    /// The program has ended: its last figures go to the file and the collector.
    pub(crate) fn end(self) {
        drop(self.stop);
        self.evaluations.end();
        let until = Instant::now() + MAX_FAREWELL;
        while !self.thread.is_finished() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        if !self.thread.is_finished() {
            return;
        }
        let Ok(mut places) = self.thread.join() else { return };
        if places.file.is_some() || places.exporter.is_some() {
            // Here, as the report that follows is made here too.
            places.put(Some(evaluated(vec![self.capture], false, &mut Evaluator::new())));
        }
        if stderr_is_terminal() {
            places.complaints.iter().flatten().for_each(messages::warning);
        }
    }
}

/// Makes figures again and again, as often as they may cost.
fn follow(evaluations: &Evaluations, mut places: Places, stopped: &Receiver<()>) -> Places {
    let mut wait = FIRST_DELAY;
    while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        let began = Instant::now();
        let statuses = evaluations.evaluate();
        let cost = began.elapsed();
        // An evaluation that was ended with the program is no failure.
        if stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Disconnected) {
            break;
        }
        places.put(statuses);
        wait = MIN_INTERVAL.max(cost * EVALUATION_TIME_DIVISOR).saturating_sub(began.elapsed());
    }
    places
}

/// Where figures go.
struct Places {
    board: Arc<Board>,
    file: Option<PathBuf>,
    exporter: Option<Exporter>,
    began_ns: u64,
    /// What went wrong first with each: it is said once.
    complaints: [Option<String>; 2],
}

impl Places {
    fn put(&mut self, statuses: Option<Vec<Status>>) {
        self.board.put(statuses);
        if let Some(path) = &self.file
            && let Err(error) = textfile::put(path, &self.board.text(Form::Prometheus))
        {
            complain(&mut self.complaints[0], || not_written(path, &error));
        }
        let document = self.board.otlp(now_ns(), self.began_ns);
        if let Some(exporter) = &mut self.exporter
            && let Err(error) = exporter.send(document)
        {
            complain(&mut self.complaints[1], || words::not_sent(&error));
        }
    }
}

/// A terminal is the program's while it runs; a journal is read at once.
fn complain(said: &mut Option<String>, what: impl FnOnce() -> String) {
    if said.is_none() {
        let what = what();
        if !stderr_is_terminal() {
            messages::warning(&what);
        }
        *said = Some(what);
    }
}

fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or_default()
}
