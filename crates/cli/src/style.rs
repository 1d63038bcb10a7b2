//! For which width and with which colours to print.

use std::io::IsTerminal;

use nilometer_report::Style;

use crate::env;
use crate::supervisor::kernel;

/// Lines longer than this are hard to read, however wide the terminal is.
const MAX_COLUMNS: usize = 120;
/// Where nobody says how wide.
const DEFAULT_COLUMNS: usize = 100;

/// The style for a stream: 1 is stdout, 2 is stderr.
pub(crate) fn of(stream: &impl IsTerminal, fd: i32) -> Style {
    let columns = env::get(env::COLUMNS)
        .and_then(|columns| columns.to_str()?.parse().ok())
        .or_else(|| kernel::window_size(fd).map(|(_, columns)| usize::from(columns)))
        .filter(|columns| *columns > 0);
    Style {
        width: columns.unwrap_or(DEFAULT_COLUMNS).clamp(40, MAX_COLUMNS),
        color: crate::messages::use_color(stream),
    }
}
