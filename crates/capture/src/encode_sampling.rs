//! The recorder's records as payload bytes.
//!
//! In: a borrowed [`Sampling`]. Out: bytes into a sink. What must not happen here: allocation, as `encode` says.
//!
//! A stack is most of what a recorder writes. A return address is therefore written as its distance to the one before
//! it, which is mostly in the same library.

use crate::encode::{Sink, number, numbers, string};
use crate::record::kind;
use crate::sample::{Birth, Sampling, StackFrame};

/// How a frame begins: the two low bits of its first number.
pub(crate) mod frame {
    pub(crate) const NATIVE: u64 = 0;
    pub(crate) const PYTHON: u64 = 1;
    pub(crate) const TRUNCATED: u64 = 2;
}

pub(crate) fn kind_of_sampling(said: &Sampling) -> u8 {
    match said {
        Sampling::Start { .. } => kind::SAMPLING_START,
        Sampling::Module { .. } => kind::MODULE,
        Sampling::Text { .. } => kind::TEXT,
        Sampling::Code { .. } => kind::CODE,
        Sampling::Stack { .. } => kind::STACK,
        Sampling::Birth(_) => kind::BIRTH,
        Sampling::Death { .. } => kind::DEATH,
        Sampling::Count(_) => kind::SAMPLING_COUNT,
    }
}

/// The fields behind the time.
pub(crate) fn sampling(said: &Sampling, sink: &mut impl Sink) {
    match said {
        Sampling::Start { sample } => number(*sample, sink),
        Sampling::Module { start, end, bias, path } => {
            number(*start, sink);
            number(*end, sink);
            number(*bias, sink);
            string(path, sink);
        }
        Sampling::Text { id, text } => {
            number(*id, sink);
            string(text, sink);
        }
        Sampling::Code { id, file, function, first_line } => {
            for value in [*id, *file, *function, *first_line] {
                number(value, sink);
            }
        }
        Sampling::Stack { first, parent, frames } => {
            number(*first, sink);
            number(*parent, sink);
            stack(frames, sink);
        }
        Sampling::Birth(birth) => birth_fields(birth, sink),
        Sampling::Death { id } => number(*id, sink),
        Sampling::Count(count) => numbers(&count.to_array(), sink),
    }
}

fn stack(frames: &[StackFrame], sink: &mut impl Sink) {
    number(frames.len() as u64, sink);
    let mut before = 0_u64;
    for one in frames {
        match *one {
            StackFrame::Native { address } => {
                let distance = address.wrapping_sub(before).cast_signed();
                before = address;
                // Zigzag, so that a step back is as short as a step forward; 61 bits hold any address of a process.
                let zigzag = ((distance << 1) ^ (distance >> 63)).cast_unsigned();
                number(zigzag << 2 | frame::NATIVE, sink);
            }
            StackFrame::Python { code, line } => {
                number(code << 2 | frame::PYTHON, sink);
                number(u64::from(line), sink);
            }
            StackFrame::Cut(why) => number((why as u64) << 2 | frame::TRUNCATED, sink),
        }
    }
}

fn birth_fields(birth: &Birth, sink: &mut impl Sink) {
    let Birth { id, stack, size, mean, address, thread, source } = *birth;
    for value in [id, stack, size, mean, address, thread, source as u64] {
        number(value, sink);
    }
}
