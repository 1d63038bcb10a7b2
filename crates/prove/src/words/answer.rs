//! The answer in a sentence, and the words of an effect.

use crate::compare::{Effect, Share};
use crate::proof::Experiment;

/// The program does not leak, by this reason.
pub(crate) fn nothing_to_cure(reason: &str) -> String {
    format!("nothing to cure: {reason}")
}

/// Nothing says whether it leaks.
pub(crate) fn undecided(reason: &str) -> String {
    format!("whether it leaks is undecided: {reason}")
}

/// `without callback:Keeps removes 98 % of the growth (95 %: 96 to 100)`; the growth is on this device, if one is given.
pub(crate) fn removes(experiment: &Experiment, device: Option<&str>) -> String {
    let removes = match experiment.set.as_slice() {
        [_] => "removes",
        _ => "together remove",
    };
    let growth = device.map_or_else(|| "the growth".to_owned(), |device| format!("the growth on {device}"));
    let share = experiment.removed.map_or_else(|| growth.clone(), |share| share_of(share, &growth));
    format!("{} {removes} {share}", experiment.intervention)
}

/// The best change does not end the growth; `maybe` it does with more cycles.
pub(crate) fn reduces(best: &Experiment, device: Option<&str>, maybe: bool) -> String {
    let rest = if maybe {
        "whether any is left needs more cycles"
    } else {
        "nothing that was tried removes all of it"
    };
    format!("{}; {rest}", removes(best, device))
}

/// No experiment, or none that changed the growth.
pub(crate) fn unexplained(tried: bool) -> String {
    let sentence =
        if tried { "nothing that was tried removes the growth" } else { "no experiment could be made" };
    sentence.to_owned()
}

/// `98 % of the growth (95 %: 96 to 100)`.
pub fn share_of_growth(share: Share) -> String {
    share_of(share, "the growth")
}

fn share_of(share: Share, growth: &str) -> String {
    let percent = |part: f64| (100.0 * part).round().clamp(-999.0, 100.0);
    let (estimate, low, high) = (percent(share.estimate), percent(share.low), percent(share.high));
    format!("{estimate} % of {growth} (95 %: {low} to {high})")
}

impl Effect {
    /// In a word or two: `no effect`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Cures => "cures",
            Self::Reduces => "reduces",
            Self::NoEffect => "no effect",
            Self::Undecided => "undecided",
        }
    }
}
