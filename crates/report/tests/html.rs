//! The page as a document: what stands in it, and what must not. How it works is tested in a browser (`tests/page`).
#![allow(clippy::unwrap_used, reason = "tests")]

mod reports;

use nilometer_diagnose::{Diff, Profile, Report, Side, diff};
use nilometer_report::{HtmlOptions, diff_html, html};
use reports::{cycles, healthy, leak, profile, sites, undecided};
use serde_json::Value;

const OPEN: HtmlOptions = HtmlOptions { redact: false };
const SHUT: HtmlOptions = HtmlOptions { redact: true };

fn page(report: &Report) -> String {
    html(report, Some(&profile()), &OPEN)
}

/// What stands between two marks.
fn between<'a>(text: &'a str, open: &str, close: &str) -> &'a str {
    text.split_once(open).unwrap().1.split_once(close).unwrap().0
}

fn data(page: &str) -> &str {
    between(page, "<script type=\"application/json\" id=\"data\">", "</script>")
}

/// The leak, and what mended it.
fn difference(before: &Report) -> Diff {
    let (after, profile, cycles) = (healthy(), profile(), cycles());
    let side = |report| Side { report, profile: Some(&profile), cycles: &cycles };
    diff(side(before), side(&after))
}

#[test]
fn it_is_one_small_document_that_asks_for_nothing() {
    let mut all = [leak(), sites(), healthy(), undecided()].map(|report| page(&report)).to_vec();
    all.push(diff_html(&difference(&leak())));
    for page in all {
        let shell = page.len() - data(&page).len();
        assert!(shell <= 300 * 1024, "{shell} bytes before data");
        assert_eq!(page.matches("<script").count(), 2);
        assert_eq!(page.matches("<style").count(), 1);
        assert_eq!(page.matches("{{").count(), page.matches("${{").count(), "a place was not filled");
        for wish in [" src=", "@import", "url(", "fetch(", "XMLHttpRequest", "WebSocket", "import("] {
            assert!(!page.contains(wish), "{wish}");
        }
        // The name of the language of drawings is the one address in it.
        assert_eq!(page.matches("http").count(), page.matches("http-equiv").count() + 1);
    }
}

#[test]
fn strings_become_text_only() {
    let page = page(&leak());
    for door in [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "style=\"",
    ] {
        assert!(!page.contains(door), "{door}");
    }
    let policy = between(&page, "http-equiv=\"Content-Security-Policy\" content=\"", "\"");
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"));
    assert!(!policy.contains("unsafe"));
}

#[test]
fn no_string_of_the_program_ends_an_element() {
    const HOSTILE: &str =
        "</script></style></pre></title>--><script>alert(1)</script><!--&lt;{{script}}{{data}}\u{2028}";
    let mut report = leak();
    let clean = page(&report);
    report.program.name = HOSTILE.to_owned();
    report.program.argv.push(HOSTILE.to_owned());
    report.reason = HOSTILE.to_owned();
    report.losses.push(HOSTILE.to_owned());
    report.findings[0].sentence = HOSTILE.to_owned();
    report.findings[0].holder.as_mut().unwrap().path = HOSTILE.to_owned();
    report.findings[0].sites[0].text = Some(HOSTILE.to_owned());
    report.processes[0].role = HOSTILE.to_owned();
    report.components[0].sentence = HOSTILE.to_owned();
    report.program.frameworks.insert(HOSTILE.to_owned(), HOSTILE.to_owned());
    let mut profile = profile();
    profile.frames[0].function = HOSTILE.to_owned();
    let page = html(&report, Some(&profile), &OPEN);
    for mark in ["<script", "</script", "</style", "</pre", "</title", "<!--", "-->"] {
        assert_eq!(page.matches(mark).count(), clean.matches(mark).count(), "{mark}");
    }
    let value: Value = serde_json::from_str(data(&page)).unwrap();
    assert_eq!(value["report"]["program"]["name"], HOSTILE);
    assert_eq!(value["profile"]["frames"][0]["function"], HOSTILE);
}

#[test]
fn the_data_is_the_report_and_the_profile() {
    let value: Value = serde_json::from_str(data(&page(&leak()))).unwrap();
    assert_eq!(value["report"], serde_json::to_value(leak()).unwrap());
    assert_eq!(value["profile"], serde_json::to_value(profile()).unwrap());
    let without = html(&healthy(), None::<&Profile>, &OPEN);
    let value: Value = serde_json::from_str(data(&without)).unwrap();
    assert_eq!(value["profile"], Value::Null);
}

#[test]
fn the_page_of_a_difference_is_the_difference() {
    const HOSTILE: &str = "</script><!--{{data}}";
    let mut before = leak();
    before.program.name = HOSTILE.to_owned();
    before.findings[0].sentence = HOSTILE.to_owned();
    let diff = difference(&before);
    let page = diff_html(&diff);
    let value: Value = serde_json::from_str(data(&page)).unwrap();
    assert_eq!(value["diff"], serde_json::to_value(&diff).unwrap());
    assert_eq!(value["diff"]["a"]["name"], HOSTILE);
    assert_eq!((page.matches("</script").count(), page.matches("<!--").count()), (2, 0));
    assert!(between(&page, "<noscript>", "</noscript>").contains(&diff.sentence));
}

#[test]
fn without_scripts_the_screen_is_there() {
    let page = page(&leak());
    let screen = between(&page, "<noscript>", "</noscript>");
    assert!(screen.contains("LEAK  +8.0 MiB per epoch since epoch 2"));
    assert!(between(&page, "<title>", "</title>").contains("Memory of train.py leaks"));
}

#[test]
fn paths_arguments_and_source_can_be_left_out() {
    const SECRET: &str = "/srv/customers/acme/train.py";
    let mut report = leak();
    report.program.name = SECRET.to_owned();
    report.program.argv = vec![SECRET.to_owned(), "--token".to_owned(), "hunter2".to_owned()];
    report.findings[0].sites[0].file = SECRET.to_owned();
    report.findings[0].stack[1].file = SECRET.to_owned();
    report.findings[0].prove = Some(format!("nilometer prove {SECRET}"));
    let mut profile = profile();
    profile.frames.iter_mut().for_each(|frame| frame.file = SECRET.to_owned());
    let told = |page: &str| ["acme", "hunter2", "self.saved.append(preds)"].map(|word| page.contains(word));
    assert_eq!(told(&html(&report, Some(&profile), &OPEN)), [true; 3]);
    let page = html(&report, Some(&profile), &SHUT);
    assert_eq!(told(&page), [false; 3]);
    assert!(page.contains("train.py"));
}
