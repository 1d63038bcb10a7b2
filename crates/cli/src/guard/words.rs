//! The rule's numbers in words.

use nilometer_diagnose::size;

use super::look::Kind;
use super::rule::Judgement;

/// `412 MiB of 500 MiB (--limit) are in use; the next epoch may add ...`.
pub(super) fn judged(kind: Kind, judged: &Judgement) -> String {
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
