//! `JUnit` XML: one test case that fails where memory leaks, for CI systems that collect test results.

use nilometer_diagnose::{Report, Verdict};

use crate::claim::{place, sentence};
use crate::headline::Headline;
use crate::words::profile::TEST_CASE;

/// One XML document. Undecided is skipped, not passed.
pub fn junit(report: &Report) -> String {
    let program = attribute(&report.program.name);
    let seconds = report.program.seconds;
    let failures = u8::from(report.verdict == Verdict::Leak);
    let skipped = u8::from(report.verdict == Verdict::Undecided);
    let counts = format!("tests=\"1\" failures=\"{failures}\" errors=\"0\"");
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    out += &format!("<testsuites name=\"nilometer\" {counts} time=\"{seconds:.3}\">\n");
    out +=
        &format!("  <testsuite name=\"nilometer\" {counts} skipped=\"{skipped}\" time=\"{seconds:.3}\">\n");
    let place = report.findings.first().and_then(place);
    let at = place
        .map_or(String::new(), |site| format!(" file=\"{}\" line=\"{}\"", attribute(&site.file), site.line));
    out += &format!(
        "    <testcase name=\"{TEST_CASE}\" classname=\"nilometer.{program}\" time=\"{seconds:.3}\"{at}>\n"
    );
    let message = attribute(&Headline::of(report).sentence());
    match report.verdict {
        Verdict::Leak => {
            let findings: Vec<String> = report
                .findings
                .iter()
                .map(|finding| {
                    let place = crate::claim::place(finding);
                    let place = place.map_or(String::new(), |site| format!("{}:{}: ", site.file, site.line));
                    text(&format!("{place}{}", sentence(finding, report.cycles.unit)))
                })
                .collect();
            out += &format!(
                "      <failure type=\"leak\" message=\"{message}\">{}</failure>\n",
                findings.join("\n")
            );
        }
        Verdict::Undecided => out += &format!("      <skipped message=\"{message}\"/>\n"),
        Verdict::NoLeak => {}
    }
    if report.verdict != Verdict::Leak {
        out += &format!("      <system-out>{}</system-out>\n", text(&Headline::of(report).sentence()));
    }
    out + "    </testcase>\n  </testsuite>\n</testsuites>\n"
}

/// Text between tags. Control characters have no place in XML, not even escaped.
fn text(text: &str) -> String {
    let allowed = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    let text: String =
        text.chars().filter(allowed).filter(|c| !matches!(c, '\u{fffe}' | '\u{ffff}')).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn attribute(value: &str) -> String {
    text(value).replace('"', "&quot;").replace('\n', "&#10;").replace('\t', "&#9;")
}
