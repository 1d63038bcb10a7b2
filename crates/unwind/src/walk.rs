//! From the innermost frame to the thread's first: the loop that runs for every recorded stack.
//!
//! In: registers. Out: addresses, innermost first. Takes no lock, allocates nothing. Reads only the stack,
//! the rule table and, for new addresses, the unwind sections of their object.

use crate::modules;
use crate::prefetch;
use crate::registers::Registers;
use crate::rule::{Bp, Kind, Rule, SIGNAL_BP, SIGNAL_IP, SIGNAL_SP};
use crate::stack::Stack;
use crate::table::RuleTable;
use crate::{generic_walk, unloading};

/// 32,768 rules: ten times the addresses of a Keras training run. Pages are touched only as the table fills.
pub(crate) static RULES: Rules = RuleTable::new();

pub(crate) type Rules = RuleTable<32768>;

/// Why a walk was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Why {
    /// The address is in no object: code that was generated at run time.
    NoObject = 0,
    /// The object has no rule for the address.
    NoRule = 1,
    /// The next frame would lie outside the stack.
    OffStack = 2,
    /// The object's rule could not be followed.
    NotUnderstood = 3,
    /// Stacks are not walked on this machine.
    Machine = 4,
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With the thread's first frame.
    Root,
    /// The buffer is full; there may be more frames.
    Full,
    /// It was cut; the last address is right, its callers are unknown.
    Cut(Why),
}

/// The result of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Unwound {
    /// Number of addresses written.
    pub frames: usize,
    /// Why the walk ended.
    pub end: End,
}

/// One frame of a walk, with all that a packed rule needs.
struct Frame {
    ip: u64,
    sp: u64,
    bp: u64,
    /// 1 if `ip` is a return address: the call, and its rule, are at the byte before.
    back: u64,
}

impl Frame {
    /// The address for the rule lookup.
    #[inline(always)]
    fn address(&self) -> u64 {
        self.ip.wrapping_sub(self.back)
    }
}

enum Step {
    Went,
    Root,
    Cut(Why),
    /// Needs registers that were not followed.
    Complex,
}

/// Walks the stack from `from`, innermost frame first; `from.ip` itself is the first address.
///
/// All addresses are return addresses, so the byte before is inside the call. The address of an interrupted
/// instruction is given plus one, so that the same holds for it.
pub fn unwind(from: &Registers, out: &mut [u64]) -> Unwound {
    unloading::check();
    let hint = prefetch::at(from.sp);
    hint.follow(&RULES);
    let mut stack = Stack::around(from.sp);
    let mut frame = Frame { ip: from.ip, sp: from.sp, bp: from.bp, back: 0 };
    let mut frames = 0;
    for slot in out.iter_mut() {
        *slot = frame.ip.wrapping_add(if frames == 0 { 0 } else { 1 - frame.back });
        let place = Rules::place(frame.address());
        hint.note(frames, place);
        frames += 1;
        let end = match step(&mut frame, &mut stack, place) {
            Step::Went => continue,
            Step::Root => {
                stack.keep();
                End::Root
            }
            Step::Cut(why) => End::Cut(why),
            Step::Complex => return generic_walk::unwind(from, out),
        };
        hint.finish(frames);
        return Unwound { frames, end };
    }
    hint.finish(frames);
    Unwound { frames, end: End::Full }
}

#[inline(always)]
fn step(frame: &mut Frame, stack: &mut Stack, place: u16) -> Step {
    let address = frame.address();
    let rule = match RULES.get(place, address) {
        Some(rule) => rule,
        None => match learn(address) {
            Some(rule) => rule,
            None => return Step::Cut(Why::NoObject),
        },
    };
    match follow(rule, frame, stack) {
        Some(step) => step,
        None => Step::Cut(Why::OffStack),
    }
}

/// `None`: the frame is not where the rule says.
#[inline(always)]
fn follow(rule: Rule, frame: &mut Frame, stack: &mut Stack) -> Option<Step> {
    let cfa = match rule.kind() {
        Kind::Sp => frame.sp.wrapping_add(rule.cfa_offset()),
        Kind::Bp => frame.bp.wrapping_add(rule.cfa_offset()),
        Kind::AtBp => stack.read(frame.bp.wrapping_add(rule.cfa_offset()))?,
        Kind::Signal => {
            *frame = interrupted(frame.sp, stack)?;
            return Some(Step::Went);
        }
        Kind::Root => return Some(Step::Root),
        Kind::Complex => return Some(Step::Complex),
        Kind::Unknown => return Some(Step::Cut(Why::NoRule)),
    };
    // The caller's frame must lie above, which also bounds the number of steps.
    if cfa <= frame.sp {
        return None;
    }
    let ip = stack.read(cfa.wrapping_sub(8))?;
    match rule.bp() {
        Bp::Same => {}
        Bp::AtCfa => frame.bp = stack.read(cfa.wrapping_add(rule.bp_offset()))?,
        Bp::AtBp => frame.bp = stack.read(frame.bp.wrapping_add(rule.bp_offset()))?,
    }
    if ip == 0 {
        return Some(Step::Root);
    }
    (frame.ip, frame.sp, frame.back) = (ip, cfa, 1);
    Some(Step::Went)
}

/// The interrupted frame, perhaps on another stack. `sp` is that of the kernel's signal frame.
#[cold]
fn interrupted(sp: u64, stack: &mut Stack) -> Option<Frame> {
    let ip = stack.read(sp.wrapping_add(SIGNAL_IP))?;
    let bp = stack.read(sp.wrapping_add(SIGNAL_BP))?;
    let sp = stack.read(sp.wrapping_add(SIGNAL_SP))?;
    *stack = stack.interrupted(sp);
    Some(Frame { ip, sp, bp, back: 0 })
}

/// The rule of an address that is not in the table; `None` if it is in no object.
#[cold]
#[inline(never)]
fn learn(address: u64) -> Option<Rule> {
    let object = modules::object_at(address)?;
    let rule = object.frames.map_or(Rule::bare(Kind::Unknown), |frames| frames.rule(address));
    if let Some(rules) = object.rules {
        RULES.set(address, rule);
        rules.add(address);
    }
    Some(rule)
}
