#![expect(clippy::print_stdout, reason = "its output is what it is for")]
//! Prints the records of a capture, a line each, without samples: `cargo run -p nilometer-capture --example records -- FILE`.
//! With `--found` also the holders, containers and types that scans found.

use std::path::Path;

use nilometer_capture::{Capture, Observation, Record};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("give a capture")?;
    let with_found = std::env::args().any(|word| word == "--found");
    for stamped in Capture::open_streamed(Path::new(&path))?.records {
        let seconds = stamped.at_ns as f64 / 1e9;
        match stamped.record {
            Record::Observation(Observation::Census(counts)) => println!("{seconds:9.3} {counts:?}"),
            Record::Observation(found) if with_found => println!("{seconds:9.3} {found:?}"),
            Record::Sampling(_) | Record::Observation(_) => {}
            Record::Reading { moment, counters } => println!(
                "{seconds:9.3} reading {moment:?} heap {:?} python {:?} cost {:?} gc {:?} {:?} {:?} collected {:?}",
                counters.heap_in_use,
                counters.py_in_use,
                counters.cost_ns,
                counters.gc0,
                counters.gc1,
                counters.gc2,
                counters.gc_collected
            ),
            record => println!("{seconds:9.3} {record:?}"),
        }
    }
    Ok(())
}
