//! Where a function's bytecode may go from each instruction, and how high its value stack is there.
//!
//! In: the bytecode as Python shows it. Out: successors and heights. Pure. What must not happen here: a way that is missed;
//! where anything does not fit, the function is not understood.

use super::opcodes::{CACHE, EXTENDED_ARG, Version};

/// Longer functions are not looked at, in instructions.
const MAX_INSTRUCTIONS: usize = 50_000;

/// What an instruction does to the height of the stack, when it jumps or when it does not.
pub(crate) type Effect<'a> = &'a dyn Fn(u8, usize, bool) -> Option<isize>;

#[derive(Debug)]
pub(super) struct Step {
    pub(super) op: u8,
    pub(super) arg: usize,
    /// Behind it, and where it jumps to.
    pub(super) next: [Option<usize>; 2],
    /// Values on the stack before it; nothing where it is never reached.
    pub(super) height: Option<usize>,
}

/// Instructions whose exceptions are handled at one place.
#[derive(Debug)]
pub(super) struct Guarded {
    start: usize,
    end: usize,
    pub(super) target: usize,
    /// 3.11: how many values stay, and the height at the handler. In 3.10 a jump of the instruction that begins it says so.
    pub(super) heights: Option<(usize, usize)>,
}

/// A function's bytecode.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(super) version: Version,
    pub(super) steps: Vec<Step>,
    guarded: Vec<Guarded>,
}

impl Flow {
    /// `table` is the exception table, of 3.11.
    pub(crate) fn new(version: Version, code: &[u8], table: &[u8], effect: Effect<'_>) -> Option<Self> {
        let mut flow = Self { version, steps: Vec::new(), guarded: Vec::new() };
        if code.len() / 2 > MAX_INSTRUCTIONS {
            return None;
        }
        let mut high = 0;
        for (at, pair) in code.chunks_exact(2).enumerate() {
            let &[op, low] = pair else { return None };
            let arg = high << 8 | usize::from(low);
            high = if op == EXTENDED_ARG { arg } else { 0 };
            let target = if op == EXTENDED_ARG { None } else { version.target(op, arg, at + 1).ok()? };
            let behind = version.falls_through(op).then_some(at + 1);
            if let Some(target) = target.filter(|_| version.guards(op)) {
                flow.guarded.push(Guarded { start: at + 1, end: target, target, heights: None });
            }
            flow.steps.push(Step { op, arg, next: [behind, target], height: None });
        }
        if version == Version::V311 {
            flow.guarded = guarded(table)?;
        }
        flow.measure(effect)?;
        Some(flow)
    }

    /// Follows all ways from the first instruction on.
    fn measure(&mut self, effect: Effect<'_>) -> Option<()> {
        let mut open = vec![(0, 0)];
        while let Some((at, height)) = open.pop() {
            let step = self.steps.get_mut(at)?;
            match step.height {
                Some(known) if known == height => continue,
                Some(_) => return None,
                None => step.height = Some(height),
            }
            for (next, jumps) in step.next.into_iter().zip([false, true]) {
                let Some(next) = next else { continue };
                open.push((next, height.checked_add_signed(effect(step.op, step.arg, jumps)?)?));
            }
            open.extend(self.handlers(at).filter_map(|one| Some((one.target, one.heights?.1))));
        }
        Some(())
    }

    /// Where an exception of this instruction may be handled.
    pub(super) fn handlers(&self, at: usize) -> impl Iterator<Item = &Guarded> {
        self.guarded.iter().filter(move |one| (one.start..one.end).contains(&at))
    }

    /// All that may follow an instruction.
    pub(super) fn successors(&self, at: usize) -> impl Iterator<Item = usize> {
        let next = self.steps.get(at).map_or([None; 2], |step| step.next);
        next.into_iter().flatten().chain(self.handlers(at).map(|one| one.target))
    }

    /// The instruction at this place in bytes, which may be in the middle of its cache.
    pub(crate) fn instruction(&self, offset: usize) -> Option<usize> {
        let mut at = offset / 2;
        while self.version == Version::V311 && self.steps.get(at)?.op == CACHE {
            at = at.checked_sub(1)?;
        }
        self.steps.get(at)?.height.map(|_| at)
    }

    /// What stands there, and how high the stack is before it.
    pub(crate) fn at(&self, at: usize) -> Option<(u8, usize, usize)> {
        let step = self.steps.get(at)?;
        Some((step.op, step.arg, step.height?))
    }

    /// Whether the second instruction may follow after the first.
    pub(super) fn reaches(&self, from: usize, to: usize) -> bool {
        let mut seen = vec![false; self.steps.len()];
        let mut open: Vec<usize> = self.successors(from).collect();
        while let Some(at) = open.pop() {
            match seen.get_mut(at) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            if at == to {
                return true;
            }
            open.extend(self.successors(at));
        }
        false
    }
}

/// 3.11's table: start, length, target in instructions, and the height times two, with a bit for one value more.
fn guarded(table: &[u8]) -> Option<Vec<Guarded>> {
    let mut bytes = table.iter().copied();
    let mut found = Vec::new();
    while bytes.len() > 0 {
        let mut number = || {
            let mut value = 0_usize;
            loop {
                let byte = bytes.next()?;
                value = value.checked_mul(64)?.checked_add(usize::from(byte & 63))?;
                if byte & 64 == 0 {
                    return Some(value);
                }
            }
        };
        let (start, length, target, height) = (number()?, number()?, number()?, number()?);
        let heights = Some((height / 2, height / 2 + height % 2 + 1));
        found.push(Guarded { start, end: start.checked_add(length)?, target, heights });
    }
    Some(found)
}
