//! A program without any framework is judged as ever, whatever packs were built in.
//!
//! `cargo test -p nilometer-frameworks --no-default-features --features torch --test plain_python` does without most of them.

use std::path::Path;

use nilometer_diagnose::{Evidence, Report, Verdict};

fn judged(run: &str) -> Report {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/evidence").join(run);
    let bytes = std::fs::read(file).expect("the evidence is in the corpus");
    Evidence::from_bytes(&bytes).expect("it is whole").judge(nilometer_frameworks::DIAGNOSE)
}

#[test]
fn a_list_of_futures_is_a_leak_with_its_holder() {
    let report = judged("async_forgotten.evidence");
    let found = &report.findings[0];
    assert_eq!(report.verdict, Verdict::Leak);
    assert_eq!(found.cause, "futures-kept");
    assert_eq!(found.holder.as_ref().map(|holder| holder.path.as_str()), Some("__main__.waiting[*]"));
}

#[test]
fn a_bounded_queue_is_no_leak() {
    assert_eq!(judged("bounded_queue.evidence").verdict, Verdict::NoLeak);
}

#[test]
#[cfg(not(feature = "tensorflow"))]
fn nothing_is_known_of_a_framework_that_was_left_out() {
    let causes = nilometer_diagnose::ranked(nilometer_frameworks::DIAGNOSE);
    assert!(causes.iter().all(|cause| cause.name != "kernel-cache"));
}
