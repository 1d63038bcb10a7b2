//! What other processes have of a device, in words, or why that is not known.
//!
//! In: a device as its driver tells it. Out: a part of the report. What must not happen here: a bound told as a measured number.

use crate::devices::{Unknown, Whole};
use crate::report::DeviceOthers;
use crate::sizes::size;

/// Below this part of the device it is too little to matter.
const MIN_PART: u64 = 50;
/// A bound says something only above what a context and the driver may take.
const MIN_BOUND_BYTES: u64 = 1 << 30;

/// What others have of the device that is called `place` within a sentence.
pub(super) fn told(whole: &Whole, place: &str) -> DeviceOthers {
    let Whole { total, others, is_at_most, .. } = *whole;
    let least = (total / MIN_PART).max(if is_at_most { MIN_BOUND_BYTES } else { 0 });
    let [bytes, all] = [others, total].map(|bytes| size(bytes as f64));
    let sentence = if is_at_most {
        format!(
            "other processes hold at most {bytes} of {place}, which has {all}: what its driver keeps and this program's own context may be part \
             of it"
        )
    } else {
        format!("other processes hold {bytes} of {place}, which has {all}")
    };
    DeviceOthers { bytes: others, is_at_most, sentence: Some(sentence).filter(|_| others >= least) }
}

/// Why that is not known; `None` where nobody asked.
pub(super) fn why(unknown: &Unknown) -> Option<String> {
    Some(match unknown {
        Unknown::NotAsked => return None,
        Unknown::Refused(words) => refused(words),
        Unknown::Silent => "the driver was asked and told of no GPU".to_owned(),
        Unknown::Which => "nothing says which of the machine's GPUs it is".to_owned(),
        Unknown::Cut => "the machine's GPUs are cut into instances (MIG)".to_owned(),
        Unknown::TooShort => "the program had nothing in use there when the driver was asked".to_owned(),
        Unknown::Contradicts => "what the driver says does not fit what the framework holds".to_owned(),
    })
}

/// A refusal, as captures have it.
fn refused(words: &str) -> String {
    match words.split(' ').collect::<Vec<&str>>().as_slice() {
        ["no_library"] => "the driver's library `libnvidia-ml.so.1` was not found".to_owned(),
        ["no_function", name] => format!("the driver's library has no function `{name}`"),
        ["failed", name, code] => format!("`{name}` of the driver's library failed with error {code}"),
        _ => format!("the driver's library did not answer ({words})"),
    }
}
