//! The generic walk, with all registers: for stacks with a frame that needs more than `rsp` and `rbp`.
//!
//! Such frames are rare (hand-written code such as the loader's trampolines), so nothing is cached between
//! walks.

use crate::cfi::program::{RETURN, RSP};
use crate::cfi::{Caller, Values};
use crate::modules;
use crate::registers::Registers;
use crate::stack::Stack;
use crate::walk::{End, Unwound, Why};

#[cold]
#[inline(never)]
pub(crate) fn unwind(from: &Registers, out: &mut [u64]) -> Unwound {
    let [r12, r13, r14, r15] = from.r12_r15;
    let kept = [(3, from.rbx), (6, from.bp), (RSP, from.sp), (12, r12), (13, r13), (14, r14), (15, r15)];
    let mut values = Values::default();
    for (register, value) in kept.into_iter().chain([(RETURN, from.ip)]) {
        values.set(register, Some(value));
    }
    let mut stack = Stack::around(from.sp);
    let (mut back, mut frames) = (0, 0);
    for slot in out.iter_mut() {
        let ip = values.get(RETURN).unwrap_or(0);
        *slot = ip.wrapping_add(if frames == 0 { 0 } else { 1 - back });
        frames += 1;
        match step(&mut values, &mut stack, ip.wrapping_sub(back)) {
            Ok(interrupted) => back = u64::from(!interrupted),
            Err(end) => return Unwound { frames, end },
        }
    }
    Unwound { frames, end: End::Full }
}

/// One frame up. Gives whether that frame was interrupted rather than left by a call, or how the walk ends.
fn step(values: &mut Values, stack: &mut Stack, address: u64) -> Result<bool, End> {
    let Some(object) = modules::object_at(address) else { return Err(End::Cut(Why::NoObject)) };
    let Some(frames) = object.frames else { return Err(End::Cut(Why::NoRule)) };
    let sp = values.get(RSP).unwrap_or(u64::MAX);
    let caller = frames.caller(address, values, &mut |address| stack.read(address));
    let (ip, next) = (values.get(RETURN), values.get(RSP).ok_or(End::Cut(Why::NotUnderstood))?);
    match caller {
        Caller::None => {
            stack.keep();
            Err(End::Root)
        }
        Caller::NoRule => Err(End::Cut(Why::NoRule)),
        Caller::NotUnderstood => Err(End::Cut(Why::NotUnderstood)),
        _ if ip == Some(0) => Err(End::Root),
        Caller::Interrupted => {
            *stack = stack.interrupted(next);
            Ok(true)
        }
        Caller::Called if next > sp => Ok(false),
        Caller::Called => Err(End::Cut(Why::OffStack)),
    }
}
