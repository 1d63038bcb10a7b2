//! When the limit is reached, at the rate that was measured. Only a leak has a forecast.

use crate::cycles::Cycles;
use crate::program::Limit;
use crate::report::{Forecast, Verdict};

pub(crate) fn forecast(
    verdict: Verdict,
    rate: f64,
    cycles: &Cycles,
    limit: Option<Limit>,
) -> Option<Forecast> {
    let limit = limit?;
    if verdict != Verdict::Leak || rate <= 0.0 {
        return None;
    }
    let left = (limit.headroom as f64 / rate).floor();
    Some(Forecast {
        limit: limit.name,
        limit_bytes: limit.bytes,
        cycles_left: left as u64,
        seconds_left: cycles.seconds.map(|s| s * left),
    })
}
