//! The functions that Python sees. `python/nilometer/_native.pyi` is their twin.
//!
//! In: whatever Python code passes. Out: `None`, `bool` or `int`. What must not happen here: an exception. A wrong
//! argument, an unreadable string or a panic of ours becomes a loss in the capture. `cli`, `read` and `page` are no part of a
//! recording: they refuse wrong arguments as any function does.

use std::panic::{AssertUnwindSafe, catch_unwind};

use nilometer_capture::CycleUnit;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::forked;
use crate::session::{self, Session};
use crate::words;

/// Does it with the recording, if there is one; keeps panics in here.
fn with_session(work: impl FnOnce(&Session)) {
    if let Some(session) = session::current()
        && catch_unwind(AssertUnwindSafe(|| work(&session))).is_err()
    {
        drop(catch_unwind(AssertUnwindSafe(|| session.lost(words::INTERNAL_ERROR))));
    }
}

/// The same for a cycle of this unit; a child that is not recorded is a worker if it serves.
fn with_served(unit: Option<CycleUnit>, work: impl FnOnce(&Session)) {
    if session::current().is_none() && unit.is_some_and(CycleUnit::is_served) {
        forked::served();
    }
    with_session(work);
}

/// Text of a Python string, also of one that is no valid Unicode.
fn text(value: &Bound<'_, PyAny>) -> Option<String> {
    value.cast::<PyString>().ok().map(|value| value.to_string_lossy().into_owned())
}

/// Counts one batch.
#[pyfunction]
fn step() {
    if let Some(session) = session::current() {
        session.step();
    }
}

#[pymodule]
mod _native {
    use std::collections::BTreeMap;
    use std::ffi::OsString;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    use nilometer_capture::{CycleUnit, DeviceCounts, Edge, Moment, Observation, Trace};
    use nilometer_cli::Refusal;
    use nilometer_model::HolderPath;
    use pyo3::prelude::*;
    use pyo3::types::PyBool;

    #[pymodule_export]
    use super::step;
    use super::{text, with_served, with_session};
    #[pymodule_export]
    use crate::guard::Guard;
    #[pymodule_export]
    use crate::importing::Import;
    use crate::loops::{self, Told};
    use crate::skeleton::Assembler;
    use crate::words;
    use crate::{code, devices, fork, forked, printed, recorder, session};

    /// Joins the capture and begins to record; false if that is not possible.
    #[pyfunction]
    fn start(py: Python<'_>, path: &Bound<'_, PyAny>) -> bool {
        let Ok(path) = path.extract::<OsString>() else { return false };
        catch_unwind(AssertUnwindSafe(|| session::start(py, path.as_ref()))).unwrap_or(false)
    }

    /// Begins to record a child of the program, in a capture of its own; false if that is not possible.
    #[pyfunction]
    fn start_child(py: Python<'_>, path: &Bound<'_, PyAny>, run: &Bound<'_, PyAny>) -> bool {
        let (Ok(path), Some(run)) = (path.extract::<OsString>(), text(run)) else { return false };
        catch_unwind(AssertUnwindSafe(|| session::start_child(py, path.as_ref(), &run, 0))).unwrap_or(false)
    }

    /// Makes a capture and begins to record into it; otherwise says why not. `pause_ms` is the longest that a look at the heap may
    /// take, `None` for no look.
    #[pyfunction]
    fn make(
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        overwrite: bool,
        pause_ms: Option<u64>,
    ) -> Option<String> {
        let Ok(path) = path.extract::<PathBuf>() else { return Some(words::NO_PATH.to_owned()) };
        let pause = pause_ms.map(Duration::from_millis);
        let begin = || session::make(py, &path, overwrite, pause);
        let answer = catch_unwind(AssertUnwindSafe(begin));
        answer.unwrap_or_else(|_| Err(words::INTERNAL_ERROR.to_owned())).err()
    }

    /// Ends the recording, perhaps with a last look and a last reading; the program goes on, and another one may begin.
    #[pyfunction]
    #[pyo3(signature = (look = true))]
    fn stop(py: Python<'_>, look: bool) {
        let stop = || {
            printed::unwatch(py);
            session::stop(py, look);
        };
        drop(catch_unwind(AssertUnwindSafe(stop)));
    }

    /// Says that a cycle of this unit ended.
    #[pyfunction]
    fn cycle(py: Python<'_>, unit: &Bound<'_, PyAny>) {
        let unit = unit.extract::<u8>().ok().and_then(CycleUnit::from_number);
        with_served(unit, |session| match unit {
            Some(unit) => session.cycle(py, unit),
            None => session.lost(words::UNKNOWN_UNIT),
        });
    }

    /// Says that a cycle of this unit ended, and what it was of: the name of a task, of a route or of the user's own.
    #[pyfunction]
    fn cycle_of(py: Python<'_>, unit: &Bound<'_, PyAny>, name: &Bound<'_, PyAny>) {
        let unit = unit.extract::<u8>().ok().and_then(CycleUnit::from_number);
        with_served(unit, |session| match (unit, text(name)) {
            (Some(unit), Some(name)) => session.cycle_of(py, unit, &name),
            (Some(unit), None) => session.cycle(py, unit),
            (None, _) => session.lost(words::UNKNOWN_UNIT),
        });
    }

    /// Says that a request was served. `place` is the route that a framework found, or else the path that was asked for. Health checks
    /// do not count.
    #[pyfunction]
    fn served(py: Python<'_>, method: &Bound<'_, PyAny>, place: &Bound<'_, PyAny>, is_route: bool) {
        with_served(Some(CycleUnit::Served), |session| match (text(method), text(place)) {
            (Some(method), Some(place)) => session.served(py, &method, &place, is_route),
            _ => session.cycle(py, CycleUnit::Served),
        });
    }

    /// Says that a cycle of this unit ended; reads live memory there exactly, or looks at who holds it, as is wanted.
    #[pyfunction]
    fn cycle_exactly(py: Python<'_>, unit: &Bound<'_, PyAny>, read: bool, look: bool) {
        let number = unit.extract::<u8>();
        with_session(|session| match number.ok().and_then(CycleUnit::from_number) {
            Some(unit) => session.cycle_exactly(py, unit, read, look),
            None => session.lost(words::UNKNOWN_UNIT),
        });
    }

    /// No reading by the clock comes any more.
    #[pyfunction]
    fn stop_clock(py: Python<'_>) {
        with_session(|session| session.stop_ticking(py));
    }

    fn phase(name: &Bound<'_, PyAny>, edge: Edge, is_part: bool) {
        with_session(|session| match text(name) {
            Some(text) => session.phase(name.py(), text, edge, is_part),
            None => session.lost(words::UNNAMED_PHASE),
        });
    }

    /// Says that a phase begins on this thread, perhaps as a part of the one around it.
    #[pyfunction]
    #[pyo3(signature = (name, is_part = false))]
    fn phase_begin(name: &Bound<'_, PyAny>, is_part: bool) {
        phase(name, Edge::Begin, is_part);
    }

    /// Says that a phase ends on this thread.
    #[pyfunction]
    #[pyo3(signature = (name, is_part = false))]
    fn phase_end(name: &Bound<'_, PyAny>, is_part: bool) {
        phase(name, Edge::End, is_part);
    }

    /// Says that a framework begins to be imported, or that this has ended.
    #[pyfunction]
    fn importing(begins: bool) {
        with_session(|session| session.importing(begins));
    }

    /// States a fact about the program.
    #[pyfunction]
    fn fact(key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) {
        with_session(|session| match (text(key), text(value)) {
            (Some(key), Some(value)) => session.fact(key, value),
            _ => session.lost(words::NO_FACT),
        });
    }

    /// Takes in the folders of the standard library and of this package, and the packages that are the user's own, with commas between.
    #[pyfunction]
    fn know_code(standard: &Bound<'_, PyAny>, ours: &Bound<'_, PyAny>, own: &Bound<'_, PyAny>) {
        let word = |value| text(value).unwrap_or_default();
        let facts = code::know(word(standard), word(ours), &word(own));
        with_session(|session| {
            for (key, value) in facts {
                session.fact(key, value);
            }
        });
    }

    /// The names of frameworks, which are nobody's own code wherever they lie.
    #[pyfunction]
    fn frameworks() -> Vec<&'static str> {
        nilometer_model::FRAMEWORKS.to_vec()
    }

    /// Takes in where a module was imported from: its name and its `__file__`.
    #[pyfunction]
    fn learn_module(name: &Bound<'_, PyAny>, file: &Bound<'_, PyAny>) {
        if let (Some(name), Some(file)) = (text(name), text(file))
            && let Some((key, value)) = code::learn(&name, &file)
        {
            with_session(|session| session.fact(key, value));
        }
    }

    /// Whether a file of code is the user's.
    #[pyfunction]
    fn is_users(file: &Bound<'_, PyAny>) -> bool {
        text(file).is_some_and(|file| code::is_users(&file))
    }

    /// The function that a holder's path begins in, what has its last name, and that name; each may be empty.
    #[pyfunction]
    fn holder_path(path: &Bound<'_, PyAny>) -> (String, String, String) {
        let path = text(path).unwrap_or_default();
        let path = HolderPath::of(&path);
        let [function, around, last] =
            [path.function().unwrap_or_default(), path.around_last_name(), path.last_name()]
                .map(str::to_owned);
        (function, around, last)
    }

    /// A count at the end of a cycle.
    #[pyfunction]
    fn probe(name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) {
        with_session(|session| match (text(name), value.extract::<u64>()) {
            (Some(name), Ok(value)) => session.see(Observation::Probe { name, value }),
            _ => session.lost(words::NO_PROBE),
        });
    }

    /// A tf.function was traced, for the `nth` time, from that line; `why` says what differed from the time before.
    #[pyfunction]
    fn trace(
        function: &Bound<'_, PyAny>,
        place: &Bound<'_, PyAny>,
        nth: &Bound<'_, PyAny>,
        why: &Bound<'_, PyAny>,
        caller: &Bound<'_, PyAny>,
    ) {
        with_session(|session| {
            let (Some(function), Some(why)) = (text(function), text(why)) else {
                return session.lost(words::NO_TRACE);
            };
            let of = |place: &Bound<'_, PyAny>| place.extract::<(String, u64)>().unwrap_or_default();
            let ((file, line), (caller_file, caller_line)) = (of(place), of(caller));
            let nth = nth.extract::<u64>().unwrap_or_default();
            let trace = Trace { function, file, line, nth, why, caller_file, caller_line };
            session.see(Observation::Trace(trace));
        });
    }

    /// Names a process that the program started.
    #[pyfunction]
    fn child(pid: &Bound<'_, PyAny>, role: &Bound<'_, PyAny>) {
        with_session(|session| match (pid.extract::<u64>(), text(role)) {
            (Ok(pid), Some(role)) => session.child(pid, role),
            _ => session.lost(words::NO_CHILD),
        });
    }

    /// Looks now at who holds the program's memory.
    #[pyfunction]
    fn census(py: Python<'_>) {
        with_session(|session| session.census(py));
    }

    /// Begins to watch the lines that the program prints; false where this Python cannot be watched.
    #[pyfunction]
    fn watch_printed(py: Python<'_>) -> bool {
        catch_unwind(AssertUnwindSafe(|| printed::watch(py))).unwrap_or(false)
    }

    /// Counts a line that went elsewhere than to the screen.
    #[pyfunction]
    fn line(text: &Bound<'_, PyAny>) {
        with_session(|session| {
            let mut assembler = Assembler::new();
            // A template stands for its numbers: `epoch %d of %s`.
            let text_of = super::text(text).unwrap_or_default().replace("%d", "0").replace("%s", "0");
            let lines = [text_of, "\n".to_owned()];
            for piece in lines {
                assembler.push(piece.as_bytes(), |whole| {
                    if let Some(line) = whole.line() {
                        session.printed(text.py(), &line);
                    }
                });
            }
        });
    }

    /// Says that the loop with this key turned; `place` is its file and line.
    #[pyfunction]
    fn turn(py: Python<'_>, key: &Bound<'_, PyAny>, place: &Bound<'_, PyAny>) {
        with_session(|session| match key.extract::<u64>() {
            Ok(key) => session.turned(py, key, || text(place).unwrap_or_default()),
            Err(_) => session.lost(words::NO_LOOP),
        });
    }

    /// Says that so many turns of the loop with this key are over since the last time.
    #[pyfunction]
    fn turns(key: &Bound<'_, PyAny>, place: &Bound<'_, PyAny>, count: &Bound<'_, PyAny>) {
        with_session(|session| match (key.extract::<u64>(), count.extract::<u32>()) {
            (Ok(key), Ok(count)) => session.turned_often(key, count, || text(place).unwrap_or_default()),
            _ => session.lost(words::NO_LOOP),
        });
    }

    /// Learns how positions of iterators are read; how many kinds of them can be.
    #[pyfunction]
    fn know_iterators(py: Python<'_>, samples: &Bound<'_, PyAny>) -> usize {
        let learn = || samples.extract().map_or(0, |samples| loops::learn(py, samples));
        catch_unwind(AssertUnwindSafe(learn)).unwrap_or(0)
    }

    /// Where a frame of the main thread stands: true where it comes once and calls `inner` once, the head of its loop, its iterator and
    /// the turns that are over where it is in one, false where nothing is certain.
    #[pyfunction]
    fn place_of<'py>(
        frame: Bound<'py, PyAny>,
        inner: Option<Bound<'py, PyAny>>,
        is_outermost: bool,
    ) -> Bound<'py, PyAny> {
        let py = frame.py();
        let tell = || loops::tell(frame, inner, is_outermost);
        let word = |is_once| PyBool::new(py, is_once).to_owned().into_any();
        match catch_unwind(AssertUnwindSafe(tell)).unwrap_or(None) {
            Some(Told::Once) => word(true),
            Some(Told::Turns(head, iterator, over)) => {
                (head, iterator, over).into_pyobject(py).map_or_else(|_| word(false), Bound::into_any)
            }
            None => word(false),
        }
    }

    /// Calls this at ticks of the clock, on the main thread.
    #[pyfunction]
    fn at_ticks(py: Python<'_>, call: Bound<'_, PyAny>) {
        session::at_ticks(py, call.unbind());
    }

    /// Live memory now, in bytes, read exactly whatever it costs; `None` where nothing is recorded.
    #[pyfunction]
    fn read_now(py: Python<'_>) -> Option<u64> {
        let read = || session::current().and_then(|session| session.read_now(py));
        catch_unwind(AssertUnwindSafe(read)).unwrap_or(None)
    }

    /// What allocators of devices say now, for each device: the allocator's number, the device's, and bytes in use, at most, taken, and
    /// that may be taken. Looked at, not recorded.
    #[pyfunction]
    #[pyo3(signature = (kind = "GPU"))]
    fn device_figures(py: Python<'_>, kind: &str) -> Vec<(u8, u64, u64, u64, u64, u64)> {
        let figures = || devices::figures(py, kind);
        let said = catch_unwind(AssertUnwindSafe(figures)).unwrap_or_default();
        let all = |(number, counts): (u8, DeviceCounts)| {
            let figure = |bytes: Option<u64>| bytes.unwrap_or(0);
            let [in_use, peak, reserved, device, limit, _ordinal] = counts.to_array().map(figure);
            (number, device, in_use, peak, reserved, limit)
        };
        said.into_iter().map(all).collect()
    }

    /// Loads the recorder into this process, which runs, and begins to record into the capture; why not, in words, if it cannot.
    #[pyfunction]
    fn start_recorder(
        _py: Python<'_>,
        library: &Bound<'_, PyAny>,
        capture: &Bound<'_, PyAny>,
        settings: &Bound<'_, PyAny>,
    ) -> Option<String> {
        let text = |value: &Bound<'_, PyAny>| value.extract::<OsString>().ok();
        let (Some(library), Some(capture), Some(settings)) = (text(library), text(capture), text(settings))
        else {
            return Some(words::WRONG_SETTINGS.to_owned());
        };
        let start = || recorder::start(library.as_ref(), capture.as_ref(), &settings).err();
        let failed = || Some(words::INTERNAL_ERROR.to_owned());
        catch_unwind(AssertUnwindSafe(start)).unwrap_or_else(|_panic| failed())
    }

    /// Ends what `start_recorder` began.
    #[pyfunction]
    fn stop_recorder(_py: Python<'_>) {
        drop(catch_unwind(recorder::stop));
    }

    /// Counts something that could not be recorded.
    #[pyfunction]
    fn lost(what: &Bound<'_, PyAny>) {
        with_session(|session| session.lost(text(what).as_deref().unwrap_or(words::UNNAMED_LOSS)));
    }

    /// Python is about to fork.
    #[pyfunction]
    fn before_fork(py: Python<'_>) {
        drop(catch_unwind(AssertUnwindSafe(|| fork::before(py))));
    }

    /// Python has forked; this is the parent.
    #[pyfunction]
    fn after_fork_parent(py: Python<'_>) {
        drop(catch_unwind(AssertUnwindSafe(|| fork::after_in_parent(py))));
    }

    /// Python has forked; this is the child.
    #[pyfunction]
    fn after_fork_child() {
        fork::after_in_child();
    }

    /// Children that Python forks from now on record themselves when they are old enough.
    #[pyfunction]
    fn follow_forks(template: &Bound<'_, PyAny>, run: &Bound<'_, PyAny>, command: &Bound<'_, PyAny>) -> bool {
        // A path that is no text cannot have a number put into it here; its program's children are not recorded.
        let (Ok(template), Some(run), Some(command)) = (template.extract(), text(run), text(command)) else {
            return false;
        };
        catch_unwind(AssertUnwindSafe(|| forked::follow(template, run, command))).unwrap_or(false)
    }

    /// Python has forked; this is the child, which may become old enough.
    #[pyfunction]
    fn wait_after_fork() {
        forked::wait_in_child();
    }

    /// Whether this process is recorded.
    #[pyfunction]
    fn is_recording() -> bool {
        session::current().is_some()
    }

    /// The program's own code has ended; exit handlers keep what they kept.
    #[pyfunction]
    fn code_ended(py: Python<'_>) {
        with_session(|session| {
            session.code_ended(py);
            session.once(py, Moment::BeforeExit);
        });
    }

    /// The program's own code and its exit handlers have ended.
    #[pyfunction]
    fn before_exit(py: Python<'_>) {
        forked::wait_no_more();
        with_session(|session| {
            printed::unwatch(py);
            session.stop_ticking(py);
            session.code_ended(py);
            session.once(py, Moment::BeforeExit);
        });
        recorder::python_ends();
    }

    /// Python's last full collection begins: what exit handlers kept has gone by now.
    #[pyfunction]
    fn before_exit_collection(py: Python<'_>) {
        with_session(|session| session.once(py, Moment::BeforeExit));
    }

    /// Python has made its last full collection.
    #[pyfunction]
    fn after_exit_collection(py: Python<'_>) {
        with_session(|session| {
            session.once(py, Moment::AfterExitCollection);
            session.completed();
        });
    }

    /// The command line; gives the exit code.
    #[pyfunction]
    fn cli(py: Python<'_>, argv: Vec<OsString>, python: String, flags: Vec<String>) -> i32 {
        // Not inside a user's program: here a panic may say so on stderr, and 2 means that the tool itself broke.
        let main = AssertUnwindSafe(|| nilometer_cli::main(argv, python, flags));
        py.detach(|| catch_unwind(main).unwrap_or(2))
    }

    /// The report of a file in the forms that Python shows, or why there is none.
    #[pyfunction]
    fn read(py: Python<'_>, path: PathBuf) -> BTreeMap<&'static str, String> {
        made(py, path, |path| {
            let reading = nilometer_cli::read(path)?;
            Ok([("report", reading.report), ("brief", reading.brief), ("card", reading.card)].into())
        })
    }

    /// The report of a file as a page, or why there is none.
    #[pyfunction]
    fn page(py: Python<'_>, path: PathBuf, redact: bool) -> BTreeMap<&'static str, String> {
        made(py, path, |path| Ok([("page", nilometer_cli::page(path, redact)?)].into()))
    }

    /// What `make` makes of a file, without the GIL; in its place why it cannot.
    fn made(
        py: Python<'_>,
        path: PathBuf,
        make: impl FnOnce(&Path) -> Result<BTreeMap<&'static str, String>, Refusal> + Send,
    ) -> BTreeMap<&'static str, String> {
        let name = path.to_string_lossy().into_owned();
        let make = AssertUnwindSafe(move || make(&path));
        match py.detach(|| catch_unwind(make)) {
            Ok(Ok(parts)) => parts,
            Ok(Err(refusal)) => {
                [("refused", refusal.kind.to_owned()), ("what", refusal.what), ("hint", refusal.hint)].into()
            }
            Err(_) => {
                let what = words::failed_while_reading(&name);
                let hint = words::REPORT_A_FAULT;
                [("refused", "other".to_owned()), ("what", what), ("hint", hint.to_owned())].into()
            }
        }
    }
}
