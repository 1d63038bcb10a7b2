//! When the end of an epoch is the last one that is safe. Pure: numbers in, a judgement out.
//!
//! In: at each end of an epoch, memory that counts against a limit, the limit, and how far the epoch's peak stood above.
//! Out: whether to act now, and the numbers that say so. What must not happen here: an act where memory does not grow.
//! `docs/design/guard.md` argues each number.

use std::collections::VecDeque;

/// A rise is a new highest end of an epoch, by more than this and by more than this part of the limit.
const RISE_BYTES: u64 = 1 << 20;
const MIN_RISE_DIVISOR: u64 = 2048;
/// One step is no growth: a cache that was filled, a block that was kept.
const MIN_RISES: usize = 2;
/// Rises and peaks of so many epochs are remembered.
const REMEMBERED_EPOCHS: usize = 8;
/// Left free below the limit: this part of it, within these bounds.
const MARGIN_DIVISOR: u64 = 50;
const MIN_MARGIN_BYTES: u64 = 8 << 20;
const MAX_MARGIN_BYTES: u64 = 256 << 20;
/// Under pressure, memory that grows is at its end from this part of the limit on, in percent.
const PRESSED_PERCENT: u64 = 80;

/// The end of one epoch, as one limit sees it. Bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EpochEnd {
    /// What counts against the limit now.
    pub(super) used: u64,
    /// The limit now.
    pub(super) limit: u64,
    /// How far the peak inside the epoch stood above its end, where that was seen.
    pub(super) above: Option<u64>,
    /// The kernel says that memory is short.
    pub(super) pressed: bool,
    /// The limit was met in this epoch, and there was nothing left to take back.
    pub(super) ran_out: bool,
}

/// What the rule says, and why. Bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// Act now.
    pub acts: bool,
    /// What counts against the limit.
    pub used: u64,
    /// The limit.
    pub limit: u64,
    /// The most that the next epoch is expected to add.
    pub growth: u64,
    /// The most that an epoch's peak stood above its end.
    pub saw: u64,
    /// What saving takes.
    pub reserve: u64,
    /// What is left free.
    pub margin: u64,
    /// The kernel says that memory is short, and that decided.
    pub pressed: bool,
}

impl Judgement {
    /// What the next epoch and a save after it need, in all.
    pub fn need(&self) -> u64 {
        [self.growth, self.saw, self.reserve, self.margin].into_iter().fold(self.used, u64::saturating_add)
    }

    /// Bytes between the need and the limit; negative beyond it.
    pub fn room(&self) -> i128 {
        i128::from(self.limit) - i128::from(self.need())
    }
}

/// What was seen so far of one limit.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// Epochs that ended.
    epochs: u64,
    /// The highest end so far.
    highest: Option<u64>,
    /// The last rises: the epoch and by how much.
    rises: VecDeque<(u64, u64)>,
    /// The longest way from one rise to the next, in epochs.
    gap: u64,
    /// The last peaks above ends.
    above: VecDeque<u64>,
    /// In the last epoch: a second look at its end has no epoch behind it.
    ran_out: bool,
    /// What was in use after something was given back at the last end.
    low: Option<u64>,
    /// How much came back in the epochs after that.
    returned: VecDeque<u64>,
}

impl History {
    /// Takes in the end of an epoch, and judges it.
    pub(super) fn epoch_ended(&mut self, now: EpochEnd, reserve: u64) -> Judgement {
        self.epochs += 1;
        if let Some(low) = self.low.take() {
            remember(&mut self.returned, now.used.saturating_sub(low));
        }
        let least = RISE_BYTES.max(now.limit / MIN_RISE_DIVISOR);
        match self.highest {
            // The first epoch's memory is what the program needs to run.
            None => self.highest = Some(now.used),
            Some(highest) if now.used > highest.saturating_add(least) => {
                if let Some((before, _)) = self.rises.back() {
                    self.gap = self.gap.max(self.epochs - before);
                }
                remember(&mut self.rises, (self.epochs, now.used - highest));
                self.highest = Some(now.used);
            }
            Some(_) => {}
        }
        if let Some(above) = now.above {
            remember(&mut self.above, above);
        }
        self.ran_out = now.ran_out;
        self.judge(now, reserve, self.growth())
    }

    /// Memory of the program was given back for good: it grows on from where it stands next.
    pub(super) fn made_room(&mut self) {
        self.highest = None;
    }

    /// Judges the same end of an epoch again, after something was given back.
    ///
    /// Free memory that the allocator gave back is no room where the next epoch works with it: then it comes back.
    pub(super) fn again(&mut self, now: EpochEnd, reserve: u64) -> Judgement {
        self.low = Some(now.used);
        let growth = self.growth();
        let returns = self.returned.iter().copied().max().unwrap_or(0);
        self.judge(now, reserve, if growth > 0 { growth.max(returns) } else { 0 })
    }

    /// `growth` is what the next epoch may add; 0 where memory does not grow.
    fn judge(&self, now: EpochEnd, reserve: u64, growth: u64) -> Judgement {
        let mut judged = Judgement {
            used: now.used,
            limit: now.limit,
            growth,
            saw: self.above.iter().copied().max().unwrap_or(0),
            reserve,
            margin: margin(now.limit),
            ..Judgement::default()
        };
        let is_full = judged.room() < 0;
        let is_short = now.pressed || self.ran_out;
        judged.pressed = is_short && now.used >= now.limit / 100 * PRESSED_PERCENT;
        judged.acts = growth > 0 && (is_full || judged.pressed);
        judged
    }

    /// An upper bound of what the next epoch adds; 0 where memory does not grow.
    ///
    /// The largest rise alone may have been a step that comes once, so it counts for at most twice the next one below it:
    /// growth that gets faster is within that.
    fn growth(&self) -> u64 {
        let Some((last, _)) = self.rises.back() else { return 0 };
        // It stood still for longer than ever between two rises: the growth is over.
        if self.rises.len() < MIN_RISES || self.epochs - last > self.gap {
            return 0;
        }
        let mut sizes: Vec<u64> = self.rises.iter().map(|rise| rise.1).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        match sizes.as_slice() {
            [largest, second, ..] => (*largest).min(second.saturating_mul(2)),
            _ => 0,
        }
    }
}

/// What is left free below a limit.
pub(super) fn margin(limit: u64) -> u64 {
    (limit / MARGIN_DIVISOR).clamp(MIN_MARGIN_BYTES, MAX_MARGIN_BYTES)
}

fn remember<Item>(ring: &mut VecDeque<Item>, new: Item) {
    if ring.len() == REMEMBERED_EPOCHS {
        ring.pop_front();
    }
    ring.push_back(new);
}

#[cfg(test)]
#[path = "rule_tests.rs"]
mod tests;
