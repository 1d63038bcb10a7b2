//! Reading evidence from arbitrary bytes: no panic, and whatever is read can be judged and written again.
//!
//! The bytes stand behind the first line of evidence, and so are a compressed stream; or they are the records that lie in one.
//! `cargo +nightly fuzz run read_evidence`
#![no_main]

use libfuzzer_sys::fuzz_target;
use nilometer_capture::Capture;
use nilometer_diagnose::{Evidence, diagnose};

fuzz_target!(|bytes: &[u8]| {
    let whole = [b"nilometer evidence 1\n", bytes].concat();
    if let Some(evidence) = Evidence::from_bytes(&whole) {
        evidence.judge(nilometer_frameworks::DIAGNOSE);
        assert!(Evidence::from_bytes(&evidence.to_bytes()).is_some());
    }
    if let Some(capture) = Capture::from_packed(bytes) {
        diagnose(&capture, nilometer_frameworks::DIAGNOSE);
    }
});
