//! How one child that leaks is told: its name, its rate, and how others of its kind do.
//!
//! In: the child. Out: sentences without their full stop. What must not happen here: a decision.

use super::{own, rate, said};
use crate::job::{Child, Pace};
use crate::report::Verdict;
use crate::sizes::size;

/// What it grows by, and what its own capture says of that.
pub(super) fn grows(child: &Child) -> String {
    let words = match &child.pace {
        Pace::Said(by) => said(by),
        Pace::Seen { .. } | Pace::Shared { .. } => String::new(),
    };
    format!("{} grows by {}{words}", name(child), rate(&child.pace))
}

/// Why the job leaks though the program itself does not.
pub(super) fn reason(child: &Child, growing: u64, (flat, undecided): (u64, u64), program: Verdict) -> String {
    let interval = match &child.pace {
        Pace::Seen { rise, .. } => {
            let rate = rise.per_cycle.unwrap_or(rise.per_minute);
            format!(" (95 %: {} to {})", size(rate.low), size(rate.high))
        }
        Pace::Said(by) => said(by),
        Pace::Shared { .. } => String::new(),
    };
    let mut others = match flat {
        _ if growing > 1 => format!(", one of {growing} that grow"),
        0 => String::new(),
        1 => ", another of its kind does not".to_owned(),
        n => format!(", {n} others of its kind do not"),
    };
    others += &match undecided {
        0 => String::new(),
        1 => ", another of its kind is undecided".to_owned(),
        n => format!(", {n} others of its kind are undecided"),
    };
    format!(
        "{}, a process that the program started, grows by {} to the end{interval}{others}; {}",
        name(child),
        rate(&child.pace),
        own(program, "does not")
    )
}

/// `loader (pid 4711)`.
fn name(child: &Child) -> String {
    format!("{} (pid {})", short(&child.role), child.pid)
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
