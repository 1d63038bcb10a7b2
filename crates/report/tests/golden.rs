//! What the formats look like, to the letter: a leak, a healthy run, an undecided one, at several widths.
#![allow(clippy::unwrap_used, reason = "tests")]

mod reports;

use nilometer_diagnose::{OtherCycles, Report, duration};
use nilometer_report::{HtmlOptions, Style, brief, card, html, json, live_line, terminal, terminal_verbose};
use reports::{growing_device, growing_worker, healthy, leak, sites, undecided, unrecorded, without_cycles};

fn plain(report: &Report, width: usize) -> String {
    terminal(report, &Style { width, color: false })
}

#[test]
fn screens() {
    insta::assert_snapshot!("leak_100", plain(&leak(), 100));
    insta::assert_snapshot!("leak_60", plain(&leak(), 60));
    insta::assert_snapshot!("sites_100", plain(&sites(), 100));
    insta::assert_snapshot!("sites_60", plain(&sites(), 60));
    insta::assert_snapshot!("unrecorded_80", plain(&unrecorded(), 80));
    insta::assert_snapshot!("leak_verbose_80", terminal_verbose(&leak(), &Style { width: 80, color: false }));
    insta::assert_snapshot!(
        "sites_verbose_60",
        terminal_verbose(&sites(), &Style { width: 60, color: false })
    );
    insta::assert_snapshot!("device_80", plain(&growing_device(), 80));
    insta::assert_snapshot!("healthy_100", plain(&healthy(), 100));
    insta::assert_snapshot!("growing_worker_80", plain(&growing_worker(), 80));
    insta::assert_snapshot!("undecided_80", plain(&undecided(), 80));
    insta::assert_snapshot!("without_cycles_80", plain(&without_cycles(), 80));
}

#[test]
fn a_few_lines_are_some_of_the_screens() {
    let style = Style { width: 100, color: false };
    for report in [leak(), healthy(), undecided(), sites(), growing_worker(), growing_device()] {
        let text = brief(&report, &style);
        let screen = plain(&report, 100);
        let is_told = |line: &str| line.contains("more finding") || screen.lines().any(|told| told == line);
        assert!(text.lines().all(is_told), "{text}");
        assert!(!text.contains("below"), "what it points to is not there: {text}");
        assert!(text.lines().count() < 20 && !text.ends_with('\n'), "{text}");
    }
    insta::assert_snapshot!("sites_brief", brief(&sites(), &style));
}

#[test]
fn a_card_takes_nothing_of_the_programs_for_markup() {
    let mut report = leak();
    report.program.name = "<script>\"'&.py".to_owned();
    report.findings[0].change = Some("a < b".to_owned());
    report.findings[0].sites[0].text = Some("x = '<img src=y>'".to_owned());
    let markup = card(&report, "it's.nilo");
    assert!(!markup.contains("<script") && !markup.contains("<img"), "{markup}");
    insta::assert_snapshot!("leak_card", markup);
    insta::assert_snapshot!("undecided_card", card(&undecided(), "train.nilo"));
    let child = card(&growing_worker(), "train.nilo");
    assert!(child.contains(&growing_worker().reason), "growth is the program's own: {child}");
}

#[test]
fn no_line_is_wider_than_the_screen_and_colour_changes_no_word() {
    for report in [leak(), healthy(), undecided(), sites(), growing_worker(), growing_device()] {
        for width in [40, 60, 72, 80, 100, 140] {
            let text = plain(&report, width);
            for line in text.lines() {
                let unbroken = !line.trim().contains(' ');
                assert!(line.chars().count() <= width || unbroken, "{width}: {line}");
            }
        }
        let coloured = terminal(&report, &Style { width: 100, color: true });
        assert!(coloured.contains('\u{1b}'));
        assert_eq!(stripped(&coloured), stripped(&plain(&report, 100)));
    }
}

#[test]
fn windows_beside_cycles_that_were_seen_do_not_say_that_there_were_none() {
    let mut report = without_cycles();
    let found_by = Some("the printed line `round N/N`".to_owned());
    report.cycles.alternatives = vec![OtherCycles { unit: "round", kind: "line", found_by, count: 40 }];
    let screen = plain(&report, 100);
    assert!(screen.contains("3.2 s, told by 3 windows of 1.0 s"), "{screen}");
}

#[test]
fn a_holder_of_which_nothing_more_is_known_ends_its_line() {
    let mut report = leak();
    let holder = report.findings[0].holder.as_mut().expect("a finding with a holder");
    (holder.length, holder.elements) = (None, String::new());
    let screen = plain(&report, 80);
    assert_eq!(screen.lines().find(|line| line.ends_with(' ')), None);
}

#[test]
fn a_growth_that_may_be_much_more_says_when_the_limit_is_reached_at_the_earliest() {
    let mut report = leak();
    let sure = stripped(&plain(&report, 100));
    assert!(sure.contains("At this rate the limit is reached") && !sure.contains("earliest"), "{sure}");
    report.reason = "8.0 MiB per epoch stays alive for good".to_owned();
    let growth = report.growth.as_mut().unwrap();
    growth.bytes_per_cycle.high = growth.bytes_per_cycle.estimate * 4;
    let (count, left) = (report.cycles.count, report.forecast.as_ref().unwrap().cycles_left);
    let screen = stripped(&plain(&report, 100));
    let earliest = format!("The limit is reached at epoch {} at the earliest", count + left / 4);
    let latest = format!("by the estimate, at epoch {}", count + left);
    for words in [&earliest, &latest, &report.reason] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
    assert!(!screen.contains("At this rate"), "{screen}");
    let page = html(&report, None, &HtmlOptions::default());
    assert!(page.contains(&format!(r#""rest":" since epoch 2. {earliest}"#)), "the page says it too");
    let seconds = report.forecast.as_ref().unwrap().seconds_left.unwrap() / 4.0;
    let live = live_line(&report, 200);
    assert!(live.ends_with(&format!(", limit in {} at the earliest", duration(seconds))), "{live}");
}

#[test]
fn runs_of_a_cell_are_no_cells_of_its_number_in_any_form() {
    let mut report = leak();
    (report.cycles.unit, report.cycles.found_by) = ("cell", Some("the runs of In [17]".to_owned()));
    let of_run = "+8.0 MiB per run of In [17]";
    for told in [plain(&report, 100), live_line(&report, 200), card(&report, "x.nilo")] {
        assert!(told.contains(of_run), "{told}");
    }
    assert!(html(&report, None, &HtmlOptions::default()).contains(of_run));
}

/// Text without escapes and line breaks: escapes count as width where a line is broken, words never change.
fn stripped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = &rest[rest.find('m').unwrap() + 1..];
    }
    out.push_str(rest);
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_json_report() {
    insta::assert_snapshot!("leak_json", json(&leak()));
}

#[test]
fn the_live_line_fits() {
    insta::assert_snapshot!("live_leak", live_line(&leak(), 120));
    insta::assert_snapshot!("live_undecided", live_line(&undecided(), 120));
    assert_eq!(live_line(&leak(), 20).chars().count(), 20);
}
