//! `nilometer guard`: why it does not start, what it would have done, and what it did once the program has ended.

use std::path::Path;

use nilometer_diagnose::size;

use super::program::ISOLATED;
use crate::guard::stop::Place;
use crate::guard::{Judgement, Kind};
use crate::messages::Failure;
use crate::supervisor::kernel::Change;

/// `412 MiB of 500 MiB (--limit) are in use. The next epoch may add ...`.
pub(crate) fn judged(kind: Kind, judged: &Judgement) -> String {
    let [used, limit, growth, saw, reserve, margin] =
        [judged.used, judged.limit, judged.growth, judged.saw, judged.reserve, judged.margin]
            .map(|bytes| size(bytes as f64));
    let mut text = format!(
        "{used} of {limit} ({}) are in use. The next epoch may add {growth}, its peak {saw} more. \
         Saving takes {reserve}, and {margin} stay free.",
        kind.words()
    );
    if judged.pressed {
        text.push_str(" The kernel says that memory is short.");
    }
    text
}

/// Several processes train one model; the variable that says so.
pub(crate) fn not_alone(variable: &str, count: u64) -> Failure {
    Failure::new(format!(
        "{variable} says that {count} processes train together; the guard stops one process, and the others would wait for it"
    ))
    .hint("use the checkpoints of the training framework there; nilometer run shows what grows")
}

pub(crate) fn isolated() -> Failure {
    Failure::new(format!("{ISOLATED}, so the guard cannot work in the program"))
        .hint("start Python without these options, or use nilometer run")
}

/// A dry run of a capture without epochs.
pub(crate) fn no_epochs(capture: &Path) -> Failure {
    Failure::new(format!("{} has no reading at the end of an epoch of `fit`", capture.display()))
        .hint("the guard acts at ends of epochs; nilometer report shows what repeats")
}

pub(crate) fn no_limit(capture: &Path) -> Failure {
    Failure::new(format!("{} does not say which limit there was", capture.display())).hint("--limit SIZE")
}

/// A dry run; `numbers` are those of [`judged`].
pub(crate) fn would_have_acted(epoch: u64, epochs: u64, numbers: &str) -> String {
    format!(
        "The guard would have acted after epoch {epoch} of the {epochs} that were run. It collects garbage; \
         if that is not enough, it saves and stops.\n{numbers}\n"
    )
}

pub(crate) fn would_not_have_acted(nearest: u64, epochs: u64, numbers: &str) -> String {
    format!(
        "The guard would not have acted in {epochs} epochs. It was nearest after epoch {nearest}:\n{numbers}\n"
    )
}

/// A hint.
pub(crate) fn no_checkpoint_yet(folder: &Path) -> String {
    format!("{} holds no checkpoint yet: training begins at its first epoch", folder.display())
}

/// A warning.
pub(crate) const NO_CAPTURE: &str = "the program ran without a capture, and so without the guard";

pub(crate) fn done(checkpoint: &Path) -> String {
    format!("The program is done; its checkpoint {} is removed.\n", checkpoint.display())
}

/// Where a training stopped: `after epoch 13 of 60`.
pub(crate) fn place(place: Place, epochs: Option<u64>) -> String {
    let Place::Fit(fit, epoch) = place else { return "in the program's own loop".to_owned() };
    let of = epochs.map(|epochs| format!(" of {epochs}")).unwrap_or_default();
    let which = if fit > 1 { format!(", in fit {fit} of the program") } else { String::new() };
    format!("after epoch {epoch}{of}{which}")
}

/// The stop: its place, the rule's numbers, the checkpoint with its size, and what leaks if that is known.
pub(crate) fn stopped(
    place: &str,
    numbers: &str,
    checkpoint: (&Path, u64),
    leak: Option<&str>,
    quiet: bool,
) -> String {
    let (path, bytes) = checkpoint;
    let mut text = format!("\nnilometer guard: training was saved and stopped {place}\n");
    text.push_str(&format!("    why    {numbers}\n"));
    text.push_str(&format!("    saved  {} in {}\n", size(bytes as f64), path.display()));
    if let Some(leak) = leak {
        text.push_str(&format!("    leaks  {leak}\n"));
    }
    if quiet {
        text.push('\n');
    }
    text
}

/// No finding tells what leaks.
pub(crate) fn no_finding(is_clean: bool, reason: &str) -> String {
    if is_clean { format!("nothing was found to leak: {reason}") } else { format!("not known yet: {reason}") }
}

/// A finding, at its line if it has one.
pub(crate) fn finding(sentence: &str, place: Option<(&str, u32)>) -> String {
    let place = place.map(|(file, line)| format!(" ({file}:{line})")).unwrap_or_default();
    format!("{sentence}{place}")
}

/// A warning: the program caught what was to end it.
pub(crate) fn went_on(change: Change) -> String {
    let how = match change {
        Change::Exited(code) => format!("and ended with exit code {code}"),
        Change::Killed(signal) => format!("and was ended by signal {signal}"),
        Change::Stopped(_) | Change::Continued => "and went on".to_owned(),
    };
    format!("the program caught SystemExit {how}; what it did after the stop rests on an unfinished training")
}

/// A guard must not hide a leak.
pub(crate) fn restarted(times: u32) -> String {
    let times = if times == 1 { "once".to_owned() } else { format!("{times} times") };
    format!("The guard restarted the program {times}. A restart ends no leak.\n")
}

pub(crate) fn go_on(command: &str) -> String {
    format!("Go on with: {command}\n")
}

/// A warning and its hint: another attempt would do the same again.
pub(crate) fn gave_up(place: &str) -> (String, &'static str) {
    (
        format!("this attempt came no further than the one before ({place}), so the guard gives up"),
        "raise the limit, or end the leak: memory that earlier fits leave is there again after each restart",
    )
}
