//! Payload bytes of observations to [`Observation`].
//!
//! In: what is left of a payload behind its time. Out: the record, or why not. What must not happen here: as in `decode`.

use crate::decode::{Rest, Unreadable};
use crate::observation::{
    CensusCounts, DeviceAllocator, DeviceCounts, GROWN_NATIVE, GROWN_PARTIAL, GROWN_SHARED, GpuCounts, Grown,
    Holder, Observation, Trace,
};
use crate::record::kind;

pub(crate) fn decode_observation(record_kind: u8, rest: &mut Rest) -> Result<Observation, Unreadable> {
    Ok(match record_kind {
        kind::PROBE => Observation::Probe { name: rest.string()?, value: rest.number()? },
        kind::TRACE => Observation::Trace(Trace {
            function: rest.string()?,
            file: rest.string()?,
            line: rest.number()?,
            nth: rest.number()?,
            why: rest.string()?,
            caller_file: rest.string()?,
            caller_line: rest.number()?,
        }),
        kind::CENSUS => {
            let numbers = rest.numbers::<{ CensusCounts::NAMES.len() }>()?;
            Observation::Census(CensusCounts::from_numbers(&numbers))
        }
        kind::HOLDER => Observation::Holder(holder(rest)?),
        kind::HELD => Observation::Held { holder: rest.number()?, samples: samples(rest)? },
        kind::GROWN => Observation::Grown(grown(rest)?),
        kind::OBJECTS => Observation::Objects { name: rest.string()?, count: rest.number()? },
        kind::DEVICE => {
            let allocator = DeviceAllocator::from_number(rest.number()?).ok_or(Unreadable::Unknown)?;
            let moment = rest.moment()?;
            let numbers = rest.numbers::<{ DeviceCounts::NAMES.len() }>()?;
            Observation::Device { allocator, moment, counts: DeviceCounts::from_numbers(&numbers) }
        }
        kind::GPU => {
            let numbers = rest.numbers::<{ GpuCounts::NAMES.len() }>()?;
            Observation::Gpu(GpuCounts::from_numbers(&numbers))
        }
        kind::ENDPOINT => {
            Observation::Endpoint { id: rest.number()?, unit: rest.unit()?, name: rest.string()? }
        }
        kind::ENDED => Observation::Ended { totals: totals(rest)? },
        _ => return Err(Unreadable::Unknown),
    })
}

fn grown(rest: &mut Rest) -> Result<Grown, Unreadable> {
    let grown = Grown {
        holder: rest.number()?,
        cycle: rest.number()?,
        length: rest.number()?,
        bytes: rest.number()?,
        new: rest.number()?,
        ..Grown::default()
    };
    let about = rest.number()?;
    let has = |bit| about & bit != 0;
    Ok(Grown { native: has(GROWN_NATIVE), shared: has(GROWN_SHARED), partial: has(GROWN_PARTIAL), ..grown })
}

fn holder(rest: &mut Rest) -> Result<Holder, Unreadable> {
    let id = rest.number()?;
    let (path, owner, kind, file) = (rest.string()?, rest.string()?, rest.string()?, rest.string()?);
    let [bound, retained, alone] = rest.numbers::<3>()?;
    let elements = rest.string()?;
    // Captures of before have none.
    let role = if rest.left() > 0 { rest.string()? } else { String::new() };
    let numbers = if rest.left() > 0 { named_numbers(rest)? } else { Vec::new() };
    Ok(Holder { id, path, owner, role, kind, file, bound, elements, retained, alone, numbers })
}

fn named_numbers(rest: &mut Rest) -> Result<Vec<(String, Option<u64>)>, Unreadable> {
    let count = usize::try_from(rest.number()?).map_err(|_too_many| Unreadable::Garbage)?;
    // Each takes two bytes at least.
    let mut found = Vec::with_capacity(count.min(rest.left()));
    for _number in 0..count {
        let name = rest.string()?;
        let [value] = rest.numbers::<1>()?;
        found.push((name, value));
    }
    Ok(found)
}

fn totals(rest: &mut Rest) -> Result<Vec<(u64, u64)>, Unreadable> {
    let count = usize::try_from(rest.number()?).map_err(|_too_many| Unreadable::Garbage)?;
    // Each takes two bytes at least.
    let mut totals = Vec::with_capacity(count.min(rest.left()));
    for _total in 0..count {
        totals.push((rest.number()?, rest.number()?));
    }
    Ok(totals)
}

fn samples(rest: &mut Rest) -> Result<Vec<u64>, Unreadable> {
    let count = usize::try_from(rest.number()?).map_err(|_too_many| Unreadable::Garbage)?;
    // Each takes a byte at least: a count that the payload cannot hold asks for no memory.
    let mut ids = Vec::with_capacity(count.min(rest.left()));
    let mut before = 0_u64;
    for _id in 0..count {
        before = before.wrapping_add(rest.number()?);
        ids.push(before);
    }
    Ok(ids)
}
