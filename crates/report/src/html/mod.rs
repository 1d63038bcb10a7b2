//! The report as one HTML page.
//!
//! In: a report, and the sampled memory if there is one. Out: a whole document that needs nothing else. What must not
//! happen here: a string of the program's that a browser takes for markup. The page gets them as JSON in which no `<`
//! stands, and makes text nodes of them; its policy lets no script and no style run but the two that are named in it.

mod digest;

use nilometer_diagnose::{Profile, Report};

use crate::{Style, headline, terminal};

/// How the page is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HtmlOptions {
    /// Leave out paths, arguments and source.
    pub redact: bool,
}

/// What looks: one file per idea, first what all pictures share.
const STYLE: &str = concat!(
    include_str!("css/page.css"),
    include_str!("css/charts.css"),
    include_str!("css/parts.css"),
    include_str!("css/print.css"),
);

/// What works: a module's top level is shared by all files, each of which adds a few names to it.
const SCRIPT: &str = concat!(
    include_str!("js/dom.js"),
    include_str!("js/units.js"),
    include_str!("js/words.js"),
    include_str!("js/scale.js"),
    include_str!("js/colors.js"),
    include_str!("js/verdict.js"),
    include_str!("js/curve.js"),
    include_str!("js/curve_axes.js"),
    include_str!("js/curve_reading.js"),
    include_str!("js/findings.js"),
    include_str!("js/tree.js"),
    include_str!("js/flame.js"),
    include_str!("js/flame_panel.js"),
    include_str!("js/births.js"),
    include_str!("js/matrix.js"),
    include_str!("js/holders.js"),
    include_str!("js/waterfall.js"),
    include_str!("js/lists.js"),
    include_str!("js/page.js"),
);

const TEMPLATE: &str = include_str!("page.html");

/// The page.
pub fn html(report: &Report, profile: Option<&Profile>, options: &HtmlOptions) -> String {
    let (mut report, mut profile) = (report.clone(), profile.cloned());
    if options.redact {
        crate::redact(&mut report, profile.as_mut());
    }
    let data = serde_json::json!({ "report": report, "profile": profile, "redacted": options.redact });
    let screen = terminal(&report, &Style { width: 100, color: false });
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
        digest::source(SCRIPT),
        digest::source(STYLE)
    );
    fill(&[
        ("policy", &policy),
        ("title", &markup(&headline::headline(&report))),
        ("style", STYLE),
        ("screen", &markup(&screen)),
        ("data", &inert(&data.to_string())),
        ("script", SCRIPT),
    ])
}

/// The template with its places filled. One pass: what is filled in is not searched for places.
fn fill(values: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = TEMPLATE;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, behind) = after.split_once("}}").unwrap_or((after, ""));
        out.push_str(before);
        out.push_str(values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value));
        rest = behind;
    }
    out + rest
}

/// Text that is no markup.
fn markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// JSON that cannot end the element it stands in, nor begin another one.
fn inert(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}
