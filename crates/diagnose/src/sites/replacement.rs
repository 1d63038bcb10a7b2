//! Memory that takes the place of older memory of the same size, whichever line made that.
//!
//! In: the survivors of a site that seems to grow, and all samples that outlived a few cycles. Out: whether as much went as came. What must
//! not happen here: a leak that is not told because something else of its size comes and goes beside it.
//!
//! A reservoir or a replay memory is filled by one line and, once it is full, kept up by another. What the second line makes stays, in
//! every cycle, and nothing that this line made before goes: it looks like growth. What goes was made by the first line, and is as big.

use crate::numbers::HALF;
use std::collections::HashSet;

use super::growing::Look;
use crate::sample::Sample;

/// Objects up to this size are of all kinds.
const MAX_SMALL_BYTES: u64 = 512;
/// What comes must be this share more than what goes.
const MIN_NET_RATIO: f64 = HALF;

/// Whether in the later half of the judged cycles old memory of the survivors' sizes went as theirs came.
pub(super) fn is_made_good(survivors: &[Sample], old: &[&Sample], look: &Look) -> bool {
    let Some((from, to)) = look.later_half() else { return false };
    let sizes: HashSet<u64> =
        survivors.iter().map(Sample::size).filter(|size| *size > MAX_SMALL_BYTES).collect();
    let came = |s: &Sample| s.born_ns > from && s.born_ns <= to && s.lives_at(to);
    let went = |s: &Sample| s.born_ns <= from && s.died_ns > from && s.died_ns <= to;
    let alike = |s: &Sample| sizes.contains(&s.size());
    let stays: f64 = survivors.iter().filter(|s| alike(s) && came(s)).map(|s| s.weight).sum();
    let net: f64 = old
        .iter()
        .filter(|s| alike(s))
        .map(|s| match () {
            () if came(s) => s.weight,
            () if went(s) => -s.weight,
            () => 0.0,
        })
        .sum();
    stays > 0.0 && net < MIN_NET_RATIO * stays
}
