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

#[cfg(test)]
mod tests {
    use super::super::opcodes::Version;
    use super::*;

    /// Made-up instructions beside those that jump in 3.11: one that pushes a value, one that pops one, one that does nothing.
    const PUSH: u8 = 1;
    const POP: u8 = 2;
    const NOTHING: u8 = 3;
    const BACK: u8 = 140;
    const RETURN: u8 = 83;
    const SWAP: u8 = 99;

    fn flow(code: &[(u8, u8)], table: &[u8]) -> Option<Flow> {
        let bytes: Vec<u8> = code.iter().flat_map(|(op, arg)| [*op, *arg]).collect();
        let effect = |op: u8, _, jumps: bool| match op {
            PUSH => Some(1),
            POP => Some(-1),
            FOR_ITER => Some(if jumps { -1 } else { 1 }),
            _ => Some(0),
        };
        Flow::new(Version::V311, &bytes, table, &effect)
    }

    /// Two values below it, a loop of four instructions, then the end.
    const SIMPLE: [(u8, u8); 8] =
        [(PUSH, 0), (PUSH, 0), (FOR_ITER, 3), (POP, 0), (NOTHING, 0), (BACK, 4), (PUSH, 0), (RETURN, 0)];

    #[test]
    fn a_loop_that_nothing_repeats() {
        let flow = flow(&SIMPLE, &[]).unwrap_or_else(|| unreachable!());
        let place = |is_within| Place::Loop(Loop { head: 4, slot: 1, is_within });
        assert_eq!(flow.place(1), Place::Straight);
        assert_eq!(flow.place(2), place(false));
        assert_eq!(flow.place(4), place(true));
        assert_eq!(flow.place(5), place(false), "the turn is over");
        assert_eq!(flow.place(6), Place::Straight);
    }

    #[test]
    fn a_loop_inside_of_another_is_not_counted_and_the_outer_one_is() {
        let mut code = vec![(PUSH, 0), (FOR_ITER, 8)];
        code.extend([
            (POP, 0),
            (PUSH, 0),
            (FOR_ITER, 3),
            (POP, 0),
            (NOTHING, 0),
            (BACK, 4),
            (NOTHING, 0),
            (BACK, 9),
        ]);
        code.extend([(PUSH, 0), (RETURN, 0)]);
        let flow = flow(&code, &[]).unwrap_or_else(|| unreachable!());
        for at in [2, 6, 8] {
            assert_eq!(flow.place(at), Place::Loop(Loop { head: 2, slot: 0, is_within: true }), "{at}");
        }
    }

    #[test]
    fn a_loop_that_another_way_leads_back_to_is_not_counted() {
        let mut code = SIMPLE.to_vec();
        code.splice(6.., [(BACK, 6), (RETURN, 0)]);
        if let Some(first) = code.first_mut() {
            *first = (NOTHING, 0);
        }
        assert_eq!(flow(&code, &[]).map(|flow| flow.place(4)), Some(Place::Unknown));
    }

    #[test]
    fn an_exception_is_a_way_too() {
        // What the last instruction but one raises is handled at the second, with one value kept: all is repeated.
        let mut code = SIMPLE.to_vec();
        code.insert(1, (POP, 0));
        code.insert(1, (PUSH, 0));
        let flow = flow(&code, &[0x80 | 8, 1, 2, 2]);
        assert_eq!(flow.map(|flow| flow.place(6)), Some(Place::Unknown));
    }

    #[test]
    fn where_values_change_places_nothing_is_read() {
        let mut code = SIMPLE.to_vec();
        code.splice(3..5, [(SWAP, 2), (POP, 0)]);
        assert_eq!(flow(&code, &[]).map(|flow| flow.place(4)), Some(Place::Unknown));
    }
}
