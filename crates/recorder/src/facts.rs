//! What the recorder says of itself and of the process, once each.
//!
//! In: what is known by now. Out: facts in the capture. They allocate: only while the recorder is at work.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::{Record, Writer};
use nilometer_pyframes::Support;

use crate::recorder::Recorder;
use crate::words;

pub(crate) fn fact(writer: &Writer, key: &str, value: &str) {
    writer.append(&Record::Fact { key: key.to_owned(), value: value.to_owned() });
}

/// Which Python's frames are read, or why they are not.
pub(crate) fn tell_python(recorder: &Recorder) {
    let told: &AtomicBool = &recorder.told_python;
    if told.load(Relaxed) {
        return;
    }
    let python = match recorder.frames.support() {
        None | Some(Support::NotYet) => return,
        Some(Support::Ready(python)) => format!("{}.{}", python.version().0, python.version().1),
        Some(Support::Unsupported { version, why }) => words::native_only(*version, why),
    };
    if !told.swap(true, Relaxed) {
        fact(&recorder.writer, "recorder.python", &python);
    }
}
