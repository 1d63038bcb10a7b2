//! How a child that leaks is told: its name, its rate, the finding and the reason.
//!
//! In: the child and why it leaks. Out: sentences. What must not happen here: a decision.

use super::rise::Rise;
use super::{Family, Leaking, Why};
use crate::children::Life;
use crate::report::{Bytes, Culprit, Finding, Verdict};
use crate::sizes::size;

impl Family<'_> {
    /// `4.0 MiB per step`.
    pub(super) fn rate(&self, leaking: &Leaking) -> String {
        match &leaking.why {
            Why::Rise(Rise { per_cycle: Some(rate), .. }) => {
                format!("{} per {}", size(rate.estimate), self.unit.word())
            }
            Why::Rise(rise) => format!("{} per minute", size(rise.per_minute.estimate)),
            Why::Said(said) => said.rate.clone(),
        }
    }

    pub(super) fn finding(&self, leaking: &Leaking) -> Finding {
        let name = self.name(leaking.life);
        let mut sentence = format!("{name} grows by {}", self.rate(leaking));
        let mut bytes = Bytes::default();
        match &leaking.why {
            Why::Rise(rise) => {
                let minutes = self.cycle_seconds.unwrap_or(0.0) / 60.0;
                let per_window = || Bytes::round(&rise.per_minute).times(minutes);
                bytes = rise.per_cycle.map_or_else(per_window, |rate| Bytes::round(&rate));
            }
            Why::Said(said) => sentence += &said.words(),
        }
        Finding {
            cause: "child-process".to_owned(),
            confidence: "likely",
            sentence,
            bytes_per_cycle: bytes,
            process: Some(leaking.life.pid),
            ..Finding::default()
        }
    }

    /// `loader (pid 4711)`.
    fn name(&self, life: &Life) -> String {
        format!("{} (pid {})", short(self.outside.role(life.pid)), life.pid)
    }

    /// Why the job leaks though the program itself does not.
    pub(super) fn reason(&self, leaking: &Leaking, culprit: &Culprit, own: Verdict) -> String {
        let name = self.name(leaking.life);
        let interval = match &leaking.why {
            Why::Rise(rise) => {
                let rate = rise.per_cycle.unwrap_or(rise.per_minute);
                format!(" (95 %: {} to {})", size(rate.low), size(rate.high))
            }
            Why::Said(said) => said.words(),
        };
        let open = self.undecided(leaking.life);
        let mut others = match (culprit.of - culprit.growing).saturating_sub(open) {
            _ if culprit.growing > 1 => format!(", one of {} that grow", culprit.growing),
            0 => String::new(),
            1 => ", another of its kind does not".to_owned(),
            n => format!(", {n} others of its kind do not"),
        };
        others += &match open {
            0 => String::new(),
            1 => ", of another of its kind it is undecided".to_owned(),
            n => format!(", of {n} others of its kind it is undecided"),
        };
        let own = match own {
            Verdict::NoLeak => "the program itself does not",
            _ => "of the program itself it is undecided",
        };
        format!(
            "{name}, a process that the program started, grows by {} to the end{interval}{others}; {own}",
            culprit.rate
        )
    }
}

/// A role as one would say it: a whole command without its folder, and cut.
fn short(role: &str) -> String {
    const MAX_LETTERS: usize = 48;
    let (command, words) = role.split_once(' ').unwrap_or((role, ""));
    let role = format!("{} {words}", command.rsplit('/').next().unwrap_or(command));
    let role = role.trim_end();
    if role.chars().count() <= MAX_LETTERS {
        return role.to_owned();
    }
    let cut: String = role.chars().take(MAX_LETTERS - 1).collect();
    format!("{}\u{2026}", cut.trim_end())
}
