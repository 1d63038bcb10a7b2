//! The same walk with all registers, for stacks in which a frame is found by another than `rsp` or `rbp`.
//!
//! Such frames are rare (hand-written code such as the loader's trampolines), so nothing is kept between walks.
//! A register whose value is not known makes the walk end where it is needed, not guess.

use crate::cfi::expression::{Machine, block, evaluate};
use crate::cfi::program::{Cfa, How, REGISTERS, RETURN, RSP, Row};
use crate::cfi::{Frames, Section};
use crate::modules;
use crate::registers::Registers;
use crate::stack::Stack;
use crate::walk::{End, Unwound, Why};

/// The registers that a call keeps: rbx, rbp, r12 to r15.
const KEPT: u32 = 1 << 3 | 1 << 6 | 0xf << 12;

/// Registers by DWARF number; what a call does not keep is not known.
struct Context {
    values: [u64; REGISTERS],
    known: u32,
    stack: Stack,
}

impl Context {
    fn get(&self, register: usize) -> Option<u64> {
        let value = *self.values.get(register)?;
        (self.known >> register & 1 == 1).then_some(value)
    }

    fn set(&mut self, register: usize, value: Option<u64>) {
        let Some(slot) = self.values.get_mut(register) else { return };
        *slot = value.unwrap_or(0);
        self.known = self.known & !(1 << register) | u32::from(value.is_some()) << register;
    }
}

impl Machine for Context {
    fn register(&self, register: u64) -> Option<u64> {
        self.get(usize::try_from(register).ok()?)
    }

    fn memory(&mut self, address: u64) -> Option<u64> {
        self.stack.read(address)
    }
}

#[cold]
#[inline(never)]
pub(crate) fn unwind(from: &Registers, out: &mut [u64]) -> Unwound {
    let [r12, r13, r14, r15] = from.r12_r15;
    let mut context = Context { values: [0; REGISTERS], known: 0, stack: Stack::around(from.sp) };
    let kept = [(3, from.rbx), (6, from.bp), (RSP, from.sp), (12, r12), (13, r13), (14, r14), (15, r15)];
    for (register, value) in kept.into_iter().chain([(RETURN, from.ip)]) {
        context.set(register, Some(value));
    }
    let mut back = 0;
    let mut frames = 0;
    for slot in out.iter_mut() {
        let ip = context.get(RETURN).unwrap_or(0);
        *slot = ip.wrapping_add(if frames == 0 { 0 } else { 1 - back });
        frames += 1;
        match step(&mut context, ip.wrapping_sub(back)) {
            Ok(signal) => back = u64::from(!signal),
            Err(end) => return Unwound { frames, end },
        }
    }
    Unwound { frames, end: End::Full }
}

/// One frame up. Whether that frame was interrupted rather than left by a call, or how the walk ends.
fn step(context: &mut Context, address: u64) -> Result<bool, End> {
    let Some(object) = modules::object_at(address) else { return Err(End::Cut(Why::NoObject)) };
    let Some((frames, (row, signal))) = object.frames.and_then(|it| Some((it, it.row(address)?))) else {
        return Err(End::Cut(Why::NoRule));
    };
    if row.rule(RETURN).0 == How::Undefined {
        context.stack.keep();
        return Err(End::Root);
    }
    let sp = context.get(RSP).unwrap_or(u64::MAX);
    up(context, &frames, &row).ok_or(End::Cut(Why::NotUnderstood))?;
    match (context.get(RETURN), context.get(RSP)) {
        (Some(0), _) => Err(End::Root),
        (Some(_), Some(next)) if signal => {
            context.stack = context.stack.interrupted(next).ok_or(End::Cut(Why::OffStack))?;
            Ok(true)
        }
        (Some(_), Some(next)) if next > sp => Ok(false),
        _ => Err(End::Cut(Why::OffStack)),
    }
}

fn up(context: &mut Context, frames: &Frames<'_>, row: &Row) -> Option<()> {
    let section = frames.eh_frame;
    let cfa = match row.cfa {
        Cfa::Register(register, offset) => context.register(register)?.wrapping_add(offset.cast_unsigned()),
        Cfa::Expression(place) => evaluate(block(section, place)?, None, context)?,
        Cfa::Unsaid => return None,
    };
    let mut caller = [None; REGISTERS];
    for (register, value) in caller.iter_mut().enumerate() {
        *value = saved(context, section, row, register, cfa);
    }
    // The return address itself is in the row of every frame but the first.
    caller.get(RETURN).copied().flatten()?;
    for (register, value) in caller.into_iter().enumerate() {
        context.set(register, value);
    }
    Some(())
}

fn saved(context: &mut Context, section: Section<'_>, row: &Row, register: usize, cfa: u64) -> Option<u64> {
    let (how, number) = row.rule(register);
    let place = || usize::try_from(number).ok().and_then(|place| block(section, place));
    match how {
        How::Unsaid if register == RSP => Some(cfa),
        // What a call does not keep may have been changed by the function that was called.
        How::Unsaid if KEPT >> register & 1 == 0 => None,
        How::Unsaid | How::Same => context.get(register),
        How::Undefined => None,
        How::AtOffset => context.memory(cfa.wrapping_add(number.cast_unsigned())),
        How::IsOffset => Some(cfa.wrapping_add(number.cast_unsigned())),
        How::Register => context.register(number.cast_unsigned()),
        How::AtExpression => {
            let address = evaluate(place()?, Some(cfa), context)?;
            context.memory(address)
        }
        How::IsExpression => evaluate(place()?, Some(cfa), context),
    }
}
