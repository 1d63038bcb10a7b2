//! The document around a page: its template, its data, and the policy that lets nothing run but what it names.
//!
//! In: what the page says and the script that draws it. Out: a whole document. What must not happen here: a string of the
//! program's that a browser takes for markup.

use serde_json::Value;

use super::digest;

const TEMPLATE: &str = include_str!("page.html");

/// What looks: one file per idea, first what all pictures share.
const STYLE: &str = concat!(
    include_str!("css/page.css"),
    include_str!("css/charts.css"),
    include_str!("css/parts.css"),
    include_str!("css/diff.css"),
    include_str!("css/served.css"),
    include_str!("css/print.css"),
);

/// A page.
pub(super) struct Document<'a> {
    /// One line, for the tab.
    pub(super) title: &'a str,
    /// What is shown where no script runs.
    pub(super) screen: &'a str,
    /// What is drawn.
    pub(super) data: &'a Value,
    /// What draws it.
    pub(super) script: &'a str,
    /// Whether it may ask the server that it came from.
    pub(super) asks: bool,
}

impl Document<'_> {
    /// The whole of it.
    pub(super) fn text(&self) -> String {
        fill(&[
            ("policy", &self.policy()),
            ("title", &markup(self.title)),
            ("style", STYLE),
            ("screen", &markup(self.screen)),
            ("data", &inert(&self.data.to_string())),
            ("script", self.script),
        ])
    }

    /// What the page may do, in the words of a content security policy.
    pub(super) fn policy(&self) -> String {
        format!(
            "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; {}base-uri 'none'; form-action 'none'",
            digest::source(self.script),
            digest::source(STYLE),
            if self.asks { "connect-src 'self'; " } else { "" },
        )
    }
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
