//! A plan as it is printed: one that fits, one that does not, a refusal, exact parts only; and its JSON.
#![allow(clippy::unwrap_used, reason = "tests")]

use nilometer_plan::{Fit, Limit, Plan, Told};
use nilometer_report::{Style, plan, plan_json};

const MIB: u64 = 1 << 20;

fn told(batch: u64, peak: u64) -> Told {
    let fit = Fit {
        own: Some(256),
        batch: Some(batch),
        samples: Some(60_000),
        batched: None,
        making: 700 * MIB,
        peak,
        files: 359 * MIB,
        steps: 24,
        gpu: false,
        backend: "tensorflow".to_owned(),
        weights: 20 * MIB,
        gradients: 20 * MIB,
        slots: 40 * MIB,
        copies: 120 * MIB,
    };
    Told { fits: vec![fit], outside: Some(650 * MIB), blurred: false }
}

fn planned(peaks: [u64; 3], limit: u64, only_exact: bool) -> Plan {
    let limit = Limit { bytes: limit * MIB, source: "--limit" };
    let told: Vec<_> =
        [32, 64, 128].into_iter().zip(peaks).map(|(batch, peak)| told(batch, peak * MIB)).collect();
    let program = vec!["train.py".to_owned(), "--fast".to_owned()];
    Plan::new(program, Some(limit), "nilometer-plan-train.py.4711".to_owned())
        .conclude(&told, None, only_exact)
}

fn shown(made: &Plan, width: usize) -> String {
    plan(made, &Style { width, color: false })
}

#[test]
fn plans_read_well() {
    insta::assert_snapshot!("plan_fits_100", shown(&planned([864, 928, 1056], 4096, false), 100));
    insta::assert_snapshot!("plan_fits_not_100", shown(&planned([864, 928, 1056], 1000, false), 100));
    insta::assert_snapshot!("plan_may_not_60", shown(&planned([864, 928, 1056], 1300, false), 60));
    insta::assert_snapshot!("plan_refused_100", shown(&planned([864, 1100, 1056], 4096, false), 100));
    insta::assert_snapshot!("plan_exact_100", shown(&planned([864, 928, 1056], 4096, true), 100));
    insta::assert_snapshot!("plan_json", plan_json(&planned([864, 928, 1056], 1300, false)));
}

#[test]
fn colour_is_never_all_that_is_said() {
    let made = planned([864, 928, 1056], 4096, false);
    let coloured = plan(&made, &Style { width: 100, color: true });
    assert!(coloured.contains("\u{1b}["));
    assert!(coloured.contains("FITS"));
}
