//! The one loop around an instruction that is begun once in a call of its function, and where its iterator lies.
//!
//! In: a function's flow, an instruction. Out: the loop, or that there is none. Pure. What must not happen here: a loop that may be
//! begun twice, since the second iterator would be taken for the first; a slot of the stack in which something else may lie.

use super::flow::{Flow, Guarded};
use super::opcodes::FOR_ITER;

/// Where an instruction stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// It comes once in a call.
    Straight,
    Loop(Loop),
    /// In a loop whose turns cannot be counted.
    Unknown,
}

/// A `for` loop that nothing repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    /// Its head, as an offset in bytes.
    pub(crate) head: usize,
    /// Where the iterator lies on the value stack, from 0.
    pub(crate) slot: usize,
    /// Whether a turn is under way.
    pub(crate) is_within: bool,
}

impl Flow {
    /// Where the instruction stands.
    pub(crate) fn place(&self, at: usize) -> Place {
        if !self.reaches(at, at) {
            return Place::Straight;
        }
        let mut heads = self.steps.iter().enumerate().filter(|(_, step)| step.op == FOR_ITER);
        heads.find_map(|(head, _)| self.around(head, at)).map_or(Place::Unknown, Place::Loop)
    }

    /// The loop of this `FOR_ITER`, if the instruction stands in it and it is begun once.
    fn around(&self, head: usize, at: usize) -> Option<Loop> {
        let height = self.steps.get(head)?.height?;
        let body = self.body(head, height);
        let first = self.first(head);
        let stands = |at: usize| at == head || at == first || body.get(at).copied().unwrap_or(false);
        let keeps = |next: usize| stands(next) || self.height(next).is_some_and(|now| now >= height);
        let ahead = self.steps.get(at)?.next;
        if !stands(at) || at != head && !ahead.into_iter().flatten().all(keeps) {
            return None;
        }
        // What goes to the head comes from inside, but for one instruction, which nothing inside leads to.
        let entry = first.checked_sub(1)?;
        let leads =
            |from: &usize| self.height(*from).is_some() && self.successors(*from).any(|to| to == first);
        let mut outside = (0..self.steps.len()).filter(leads).filter(|from| !stands(*from));
        if outside.next() != Some(entry) || outside.next().is_some() || self.reaches(head, entry) {
            return None;
        }
        let is_over = at == head || at == first || ahead == [None, Some(first)];
        Some(Loop { head: 2 * head, slot: height.checked_sub(1)?, is_within: !is_over })
    }

    /// The instructions before which the iterator lies where it lay at the head.
    fn body(&self, head: usize, height: usize) -> Vec<bool> {
        let first = self.first(head);
        let mut body = vec![false; self.steps.len()];
        let mut open = vec![head + 1];
        while let Some(at) = open.pop() {
            let Some(step) = self.steps.get(at) else { continue };
            let Some(now) = step.height.filter(|now| *now >= height) else { continue };
            let is_mixed = now < height + self.version.mixes(step.op, step.arg);
            match body.get_mut(at) {
                Some(known) if !*known && !is_mixed && at != head && at != first => *known = true,
                _ => continue,
            }
            open.extend(step.next.into_iter().flatten());
            let stays = |one: &&Guarded| one.heights.is_some_and(|(kept, _)| kept >= height);
            open.extend(self.handlers(at).filter(stays).map(|one| one.target));
        }
        body
    }

    /// The first of the words that extend the argument of an instruction.
    fn first(&self, at: usize) -> usize {
        let is_part =
            |at: &usize| self.steps.get(*at).is_some_and(|step| step.op == super::opcodes::EXTENDED_ARG);
        (0..at).rev().take_while(is_part).last().unwrap_or(at)
    }

    fn height(&self, at: usize) -> Option<usize> {
        self.steps.get(at)?.height
    }
}
