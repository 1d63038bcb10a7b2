//! A proof as it is printed, wide and narrow, and its JSON.
#![allow(clippy::unwrap_used, reason = "tests")]

mod reports;

use nilometer_diagnose::{Bytes, Verdict};
use nilometer_prove::{Answer, Baseline, Experiment, Intervention, Measured, Proof, SCHEMA, compare};
use nilometer_report::{Style, prove, prove_json, proved_html};

const LEAK: Bytes = Bytes { estimate: 1_772_046, low: 1_730_000, high: 1_815_000 };

fn row(names: &[(&str, &str)], growth: Bytes, note: Option<&str>) -> Experiment {
    let set: Vec<Intervention> = names
        .iter()
        .map(
            |(name, about)| {
                if about.is_empty() { Intervention::plain(name) } else { Intervention::about(name, about) }
            },
        )
        .collect();
    let verdict = if growth.low > 16 << 10 { Verdict::Leak } else { Verdict::NoLeak };
    let compared =
        compare(LEAK, "epoch", &Measured { verdict, growth: Some(growth), unit: "epoch", cycles: 16 });
    Experiment {
        intervention: Experiment::words(&set),
        set,
        verdict: compared.effect,
        growth: Some(growth),
        removed: compared.removed,
        cycles: 16,
        seconds: 11.2,
        exit_code: Some(0),
        note: note.map(str::to_owned),
        capture: Some("2-some.nilo".to_owned()),
    }
}

fn proof() -> Proof {
    let baseline = Measured { verdict: Verdict::Leak, growth: Some(LEAK), unit: "epoch", cycles: 16 };
    Proof {
        schema: SCHEMA,
        program: vec!["train.py".to_owned(), "--epochs".to_owned(), "40".to_owned()],
        answer: Answer::Undecided,
        sentence: String::new(),
        device: None,
        unit: "epoch",
        baseline: Baseline {
            verdict: Verdict::Leak,
            reason: "live memory grows with every epoch and shows no sign of levelling".to_owned(),
            growth: Some(LEAK),
            cycles: 16,
            seconds: 13.4,
            capture: "1-as-it-is.nilo".to_owned(),
        },
        interventions: vec![
            row(
                &[("callback", "Forecasts")],
                Bytes { estimate: 769_000, low: 760_000, high: 778_000 },
                Some("exit code 1; see 2-without-callback-Forecasts.log"),
            ),
            row(&[("gc", "")], Bytes { estimate: 1_772_000, low: 1_760_000, high: 1_780_000 }, None),
            row(
                &[("repeated-batch", "")],
                Bytes { estimate: 1_026_000, low: 1_020_000, high: 1_030_000 },
                None,
            ),
            row(
                &[("callback", "Forecasts"), ("repeated-batch", "")],
                Bytes { estimate: -600, low: -9000, high: 8000 },
                None,
            ),
        ],
        cure: None,
        not_tried: Vec::new(),
        warnings: vec!["it wanted to write /data/log.txt, outside of its folder".to_owned()],
        seconds: 62.0,
        folder: "nilometer-prove-train.py.4711".to_owned(),
    }
    .conclude(&baseline)
}

#[test]
fn a_proof_reads_well_on_screens_of_any_width() {
    for width in [120, 72] {
        insta::assert_snapshot!(format!("prove_{width}"), prove(&proof(), &Style { width, color: false }));
    }
}

#[test]
fn colour_says_nothing_that_words_do_not() {
    let plain = prove(&proof(), &Style { width: 100, color: false });
    let mut coloured = prove(&proof(), &Style { width: 100, color: true });
    assert!(coloured.contains('\u{1b}'));
    while let Some(at) = coloured.find('\u{1b}') {
        let end = coloured[at..].find('m').map_or(coloured.len(), |end| at + end + 1);
        coloured.replace_range(at..end, "");
    }
    assert_eq!(coloured, plain);
}

#[test]
fn the_json_has_a_row_for_each_experiment() {
    insta::assert_snapshot!("prove_json", prove_json(&proof()));
}

#[test]
fn a_page_has_the_proof_and_no_string_of_the_program_ends_an_element() {
    const HOSTILE: &str = "</script></pre><script>alert(1)</script><!--{{data}}";
    let clean = proved_html(&reports::leak(), None, &proof());
    let mut proof = proof();
    proof.program[0] = HOSTILE.to_owned();
    proof.sentence = HOSTILE.to_owned();
    proof.warnings.push(HOSTILE.to_owned());
    proof.interventions[0].intervention = HOSTILE.to_owned();
    proof.interventions[0].note = Some(HOSTILE.to_owned());
    let page = proved_html(&reports::leak(), None, &proof);
    for mark in ["<script", "</script", "</pre", "<!--"] {
        assert_eq!(page.matches(mark).count(), clean.matches(mark).count(), "{mark}");
    }
    let data = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let value: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(value["proof"]["interventions"][0]["intervention"], HOSTILE);
    assert_eq!(value["proof"]["cure"]["set"], serde_json::json!(["callback:Forecasts", "repeated-batch"]));
    assert_eq!(value["report"], serde_json::to_value(reports::leak()).unwrap());
    assert!(page.contains("Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-"));
    // Where no script runs, both are there to be read.
    let screen = page.split_once("<noscript>").unwrap().1;
    assert!(screen.contains("nilometer prove  ") && screen.contains("reduces"));
}
