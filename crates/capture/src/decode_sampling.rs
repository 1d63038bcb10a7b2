//! Payload bytes of the recorder's records to [`Sampling`].
//!
//! In: what is left of a payload behind its time. Out: the record, or why not. What must not happen here: as in `decode`.

use std::borrow::Cow;

use crate::decode::{Rest, Unreadable};
use crate::encode_sampling::frame;
use crate::record::kind;
use crate::sample::{Birth, Cut, Sampling, SamplingCount, Source, StackFrame};

pub(crate) fn decode_sampling(record_kind: u8, rest: &mut Rest) -> Result<Sampling<'static>, Unreadable> {
    Ok(match record_kind {
        kind::SAMPLING_START => Sampling::Start { sample: rest.number()? },
        kind::MODULE => Sampling::Module {
            start: rest.number()?,
            end: rest.number()?,
            bias: rest.number()?,
            path: Cow::Owned(rest.string()?),
        },
        kind::TEXT => Sampling::Text { id: rest.number()?, text: Cow::Owned(rest.string()?) },
        kind::CODE => Sampling::Code {
            id: rest.number()?,
            file: rest.number()?,
            function: rest.number()?,
            first_line: rest.number()?,
        },
        kind::STACK => Sampling::Stack {
            first: rest.number()?,
            parent: rest.number()?,
            frames: Cow::Owned(stack(rest)?),
        },
        kind::BIRTH => Sampling::Birth(birth(rest)?),
        kind::DEATH => Sampling::Death { id: rest.number()? },
        kind::SAMPLING_COUNT => {
            let numbers = rest.numbers::<{ SamplingCount::NAMES.len() }>()?;
            Sampling::Count(Box::new(SamplingCount::from_numbers(&numbers)))
        }
        _ => return Err(Unreadable::Unknown),
    })
}

fn stack(rest: &mut Rest) -> Result<Vec<StackFrame>, Unreadable> {
    let count = usize::try_from(rest.number()?).map_err(|_too_many| Unreadable::Garbage)?;
    // Each frame takes a byte at least: a count that the payload cannot hold asks for no memory.
    let mut frames = Vec::with_capacity(count.min(rest.left()));
    let mut before = 0_u64;
    for _frame in 0..count {
        let first = rest.number()?;
        let value = first >> 2;
        frames.push(match first & 3 {
            frame::NATIVE => {
                let distance = (value >> 1).cast_signed() ^ -(value & 1).cast_signed();
                before = before.wrapping_add_signed(distance);
                StackFrame::Native { address: before }
            }
            frame::PYTHON => {
                let line = u32::try_from(rest.number()?).map_err(|_too_far| Unreadable::Garbage)?;
                StackFrame::Python { code: value, line }
            }
            frame::TRUNCATED => StackFrame::Cut(Cut::from_number(value)),
            _ => return Err(Unreadable::Unknown),
        });
    }
    Ok(frames)
}

fn birth(rest: &mut Rest) -> Result<Birth, Unreadable> {
    Ok(Birth {
        id: rest.number()?,
        stack: rest.number()?,
        size: rest.number()?,
        mean: rest.number()?,
        address: rest.number()?,
        thread: rest.number()?,
        source: Source::from_number(rest.number()?).ok_or(Unreadable::Unknown)?,
    })
}
