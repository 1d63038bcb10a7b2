//! Why samples were lost, in words: what happened, behind a count, and what to do about it.
//!
//! In: the cause. Out: two pieces of one sentence. What must not happen here: more than 25 words together.

use nilometer_capture::Loss;

const SAMPLE_LESS: &str = "sample less often: `--sample 4M`";
const MORE_DISK: &str = "free some disk space, or put the capture elsewhere: `-o FILE`";
const NOTHING: &str = "nothing: which samples it meets is chance";

/// What happened, and what to do. A capture of an earlier version gives no cause.
pub(crate) fn words(cause: Option<Loss>) -> (&'static str, &'static str) {
    let Some(cause) = cause else {
        return (
            "dropped: an earlier version made this capture and gave no cause",
            "record again with this version",
        );
    };
    match cause {
        Loss::ScratchFull => ("dropped: 64 threads were sampled at once", SAMPLE_LESS),
        Loss::StacksBusy => ("dropped: threads waited for each other to write stacks", SAMPLE_LESS),
        Loss::StacksFull => ("without a line: there were too many different stacks", SAMPLE_LESS),
        Loss::TableFull => ("dropped: too many were alive to follow another", SAMPLE_LESS),
        Loss::FilterBusy => ("dropped: the address could not be followed just then", NOTHING),
        Loss::MappingsFull => ("dropped: 1,024 mappings are followed at most", SAMPLE_LESS),
        Loss::Reentrant => ("dropped: the recorder was at work on that thread", NOTHING),
        Loss::CaptureRefused => ("dropped: the capture could not grow", MORE_DISK),
        Loss::DeathsRefused => ("counted as living, though ended: the capture could not grow", MORE_DISK),
        Loss::DeathsPending => (
            "counted as living, though ended: too many ended in signal handlers",
            "free less memory in signal handlers",
        ),
    }
}
