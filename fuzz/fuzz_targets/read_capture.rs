//! The reader against arbitrary bytes: no panic, no memory beyond what the bytes can hold, records in order.
//!
//! `cargo +nightly fuzz run read_capture fuzz/corpus/read_capture fuzz/seeds`
#![no_main]

use libfuzzer_sys::fuzz_target;
use nilometer_capture::Capture;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(capture) = Capture::parse(bytes) {
        assert!(capture.records.len() <= bytes.len() / 8);
        assert!(capture.records.is_sorted_by_key(|stamped| stamped.at_ns));
        assert!(capture.losses.len() < 10);
    }
});
