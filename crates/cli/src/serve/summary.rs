//! What a capture says in a line of the list. Cheaper than its page: no names are looked up, no stacks sorted.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nilometer_diagnose::{Report, duration, plural};
use serde_json::{Value, json};

use crate::census;
use crate::report::open;
use crate::serve::capture_list::Stamp;

/// A program that still runs is not asked sooner again.
const MIN_INTERVAL: Duration = Duration::from_secs(10);

/// What was said of each.
#[derive(Default)]
pub(super) struct Summaries(Mutex<HashMap<PathBuf, Said>>);

struct Said {
    stamp: Option<Stamp>,
    at: Instant,
    running: bool,
    value: Value,
}

impl Summaries {
    pub(super) fn of(&self, path: &Path) -> Value {
        // One capture at a time: a folder of hundreds shall not take all processors.
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = Stamp::of(path);
        if let Some(known) = said.get(path) {
            let is_fresh =
                if known.running { known.at.elapsed() < MIN_INTERVAL } else { known.stamp == stamp };
            if is_fresh {
                return known.value.clone();
            }
        }
        let (running, value) = match open(path) {
            Ok(capture) => {
                let running = census::running(&capture).is_some();
                (
                    running,
                    told(&nilometer_diagnose::diagnose(&capture, nilometer_frameworks::DIAGNOSE), running),
                )
            }
            Err(_) => (false, json!({ "error": "cannot be read", "running": false })),
        };
        said.insert(path.to_owned(), Said { stamp, at: Instant::now(), running, value: value.clone() });
        value
    }
}

fn told(report: &Report, running: bool) -> Value {
    let cycles = &report.cycles;
    let unit = if cycles.count == 1 { cycles.unit.to_owned() } else { plural(cycles.unit) };
    let rate = report.growth_told().map(|bytes| bytes.estimate);
    json!({
        "verdict": report.verdict,
        "unit": cycles.unit,
        "bytes_per_cycle": rate,
        "course": format!("{}, {} {unit} in {}", report.program.name, cycles.count, duration(report.program.seconds)),
        "running": running,
    })
}
