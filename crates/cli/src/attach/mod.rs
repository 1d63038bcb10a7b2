//! `nilometer attach PID`: records a program that runs already, from now on; `nilometer detach PID` ends that.
//!
//! In: a process id. Out: a capture, and its report at the end, while the program goes on. What must not happen here: a
//! program that is changed where the command says that it was not, a capture left behind with nothing in it, or a recording
//! that goes on after a detach that said otherwise.

mod about;
mod detach;
mod enter;
mod errand;
mod follow;
pub(crate) mod options;
mod recording;
mod view;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use libc::c_int;
use nilometer_attach::{Refusal, Target};

use self::about::{About, fact};
pub(crate) use self::detach::detach;
use self::enter::{Entered, MAX_WAIT, enter};
use self::errand::{Errand, literal};
use self::follow::{Ended, Watch};
use self::options::AttachOptions;
use self::recording::Recording;
use self::view::View;
use crate::capture_path;
use crate::live::Live;
use crate::messages::{self, Failure};
use crate::supervisor::kernel::{self, Signals};
use crate::supervisor::readings::Readings;
use crate::supervisor::recorder::Recorder;
use crate::supervisor::{Recorded, Wanted};
use crate::words::{attach as words, program, system};
use crate::{census, env, own, run};

/// Signals that end the watch, and the one that tells of the terminal's size.
const WATCHED_SIGNALS: [c_int; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGWINCH];
/// Python needs less to start, and more where its disk is slow; the time between two looks.
const MAX_STARTING: Duration = Duration::from_secs(2);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// What `run` samples by if nothing is said.
const DEFAULT_SETTINGS: Wanted = Wanted { sample: 512 << 10, overhead: 0.02 };

pub(crate) fn attach(options: &AttachOptions) -> Result<i32, Failure> {
    kernel::fill_closed_streams();
    let pid = options.pid;
    let target = look(pid)?;
    if let Some(capture) = census::written_by(pid) {
        return Err(words::recorded_already(pid, &capture));
    }
    let about = About::of(pid);
    kernel::block(&WATCHED_SIGNALS);
    let mut signals =
        Signals::open(&WATCHED_SIGNALS).map_err(|error| system::cannot_watch_signals(&error))?;

    let view = View::of(pid, target.shares_files(), package()?)?;
    let recording = Recording::make(options, &about, &view)?;
    let writer = &recording.writer;
    let pause = (!options.no_census).then_some(Duration::from_millis(options.max_pause.into()));
    writer.board().limit_pause(pause.map(|pause| u64::try_from(pause.as_nanos()).unwrap_or(u64::MAX - 1)));
    about.write(writer, options.record);
    let recorder = Recorder::prepare(
        options.record.then_some(DEFAULT_SETTINGS),
        &about.program_file(),
        Some(view.package.as_path()),
    );
    if let Some(off) = recorder.off().filter(|_| options.record) {
        fact(writer, "recorder", off);
    }
    let mut readings = Readings::new(pid);
    readings.take(writer);

    let own = own::with_environment(&options.own).join(",");
    let is_asked = Cell::new(false);
    let entered = begin(&target, &view, &recording.path, &recorder, &own, || {
        while let Some(came) = signals.next() {
            is_asked.set(is_asked.get() || came.signal != libc::SIGWINCH);
        }
        is_asked.get()
    })?;
    fact(writer, "attached.at", (writer.now() as f64 / 1e9).to_string());
    if !options.quiet {
        messages::to_stderr(&greeting(&target, &about, entered));
    }
    let recording = recording.kept();
    let live = !options.no_live && !options.quiet && !env::is_on(env::NO_PROGRESS);
    let mut watch = Watch {
        pid,
        path: recording.path.clone(),
        readings,
        live: live.then(|| Live::new(&recording.path)),
        signals,
        until: options.time,
        until_verdict: options.until_verdict,
    };
    let ended = if is_asked.get() { Ended::Asked } else { watch.follow(&recording.writer) };
    watch.end(&recording.writer);
    // A program that goes on to be recorded has a capture that goes on; another `detach` completes it.
    if ended == Ended::Program || detach::leave(&target, &view) {
        let with_recorder = recorder.preload().is_some();
        detach::complete(&recording.writer, &recording.path, &mut watch.readings, with_recorder);
    }
    let path = recording.bring_home();
    run::tell(&path, &[], Recorded::None, options.quiet);
    Ok(0)
}

/// Looks at a process; for one that has just been started, a little longer.
fn look(pid: u32) -> Result<Target, Failure> {
    let until = Instant::now() + MAX_STARTING;
    loop {
        match Target::inspect(pid) {
            Err(Refusal::NotReady) if Instant::now() < until => sleep(POLL_INTERVAL),
            looked => return looked.map_err(|refusal| words::refused(pid, &refusal)),
        }
    }
}

/// The folder of the Python package: the program loads it from there.
fn package() -> Result<PathBuf, Failure> {
    env::get(env::PACKAGE).map(PathBuf::from).ok_or_else(program::no_package)
}

/// Has the program join the capture.
fn begin(
    target: &Target,
    view: &View,
    capture: &Path,
    recorder: &Recorder,
    own: &str,
    mut stopped: impl FnMut() -> bool,
) -> Result<Entered, Failure> {
    let name = |here: &Path| literal(&view.there(here).to_string_lossy());
    let recorder = recorder.preload().map_or_else(
        || "None".to_owned(),
        |preload| {
            let settings = preload.settings(None, false, None);
            format!("({}, {})", name(Path::new(&preload.entry)), literal(&settings.to_string_lossy()))
        },
    );
    let (package, capture, own) = (name(&view.package), name(capture), literal(own));
    let call = format!("_begin({{answer}}, {package}, {capture}, {recorder}, {own})");
    let errand = Errand::new(target.pid(), view, &call)?;
    enter(target, &errand, MAX_WAIT, &mut stopped).map_err(|missed| missed.failure(target.pid()))
}

fn greeting(target: &Target, about: &About, entered: Entered) -> String {
    let program = capture_path::program_name(&about.program);
    words::attached(target.pid(), &program, target.minor(), entered.took, entered.pause)
}
