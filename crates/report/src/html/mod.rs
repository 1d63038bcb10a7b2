//! The report, and the difference of two, as one HTML page.
//!
//! In: a report, and the sampled memory if there is one, and a proof; or a difference. Out: a whole document that needs nothing else.
//! What must not happen here: a string of the program's that a browser takes for markup. The page gets them as JSON in
//! which no `<` stands, and makes text nodes of them; its policy lets no script and no style run but the two named in it.

mod digest;
mod document;
mod served;

use nilometer_diagnose::{Diff, Profile, Report};
use nilometer_prove::Proof;

use self::document::Document;
pub use self::served::{
    Served, ServedPage, Shelf, ShelfItem, served_data, served_diff, served_html, shelf_data, shelf_html,
};
use crate::headline::Headline;
use crate::{Style, diff_terminal, prove, terminal};

/// How the page is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HtmlOptions {
    /// Leave out paths, arguments and source.
    pub redact: bool,
}

/// What all pages share. A module's top level is shared by all files of a page, each of which adds a few names to it.
macro_rules! shared {
    () => {
        concat!(
            include_str!("js/dom.js"),
            include_str!("js/units.js"),
            include_str!("js/words/terms.js"),
            include_str!("js/words/shared.js"),
            include_str!("js/scale.js"),
            include_str!("js/colors.js"),
            include_str!("js/frame.js"),
        )
    };
}

/// The report of one run.
macro_rules! report {
    () => {
        concat!(
            shared!(),
            include_str!("js/words/run.js"),
            include_str!("js/words/pictures.js"),
            include_str!("js/verdict.js"),
            include_str!("js/curve.js"),
            include_str!("js/curve_axes.js"),
            include_str!("js/curve_reading.js"),
            include_str!("js/findings.js"),
            include_str!("js/proof.js"),
            include_str!("js/tree.js"),
            include_str!("js/flame.js"),
            include_str!("js/flame_panel.js"),
            include_str!("js/births.js"),
            include_str!("js/matrix.js"),
            include_str!("js/holders.js"),
            include_str!("js/types.js"),
            include_str!("js/waterfall.js"),
            include_str!("js/lists.js"),
            include_str!("js/report.js"),
        )
    };
}

const REPORT: &str = concat!(report!(), include_str!("js/begin.js"));
const DIFF: &str = concat!(
    shared!(),
    include_str!("js/words/compared.js"),
    include_str!("js/diff.js"),
    include_str!("js/diff_curve.js"),
    include_str!("js/begin.js"),
);

/// The report of a run that a server hands out, which follows the program.
const SERVED: &str = concat!(report!(), include_str!("js/live.js"), include_str!("js/begin.js"));
/// The captures of a folder.
const SHELF: &str = concat!(
    shared!(),
    include_str!("js/words/captures.js"),
    include_str!("js/shelf.js"),
    include_str!("js/begin.js")
);

/// What stands on the page where no script runs.
const SCREEN: Style = Style { width: 100, color: false };

/// The page of a run.
pub fn html(report: &Report, profile: Option<&Profile>, options: &HtmlOptions) -> String {
    let (mut report, mut profile) = (report.clone(), profile.cloned());
    if options.redact {
        crate::redact(&mut report, profile.as_mut());
    }
    Document {
        title: &Headline::of(&report).sentence(),
        screen: &terminal(&report, &SCREEN),
        data: &serde_json::json!({ "report": report, "headline": Headline::of(&report).told(), "profile": profile, "redacted": options.redact }),
        script: REPORT,
        asks: false,
    }
    .text()
}

/// The page of the run that experiments were compared with, and what they showed.
pub fn proved_html(report: &Report, profile: Option<&Profile>, proof: &Proof) -> String {
    Document {
        title: &Headline::of(report).sentence(),
        screen: &format!("{}\n{}", terminal(report, &SCREEN), prove(proof, &SCREEN)),
        data: &serde_json::json!({ "report": report, "headline": Headline::of(report).told(), "profile": profile, "proof": proof, "redacted": false }),
        script: REPORT,
        asks: false,
    }
    .text()
}

/// The page of a difference.
pub fn diff_html(diff: &Diff) -> String {
    Document {
        title: &diff_title(diff),
        screen: &diff_terminal(diff, &SCREEN),
        data: &serde_json::json!({ "diff": diff }),
        script: DIFF,
        asks: false,
    }
    .text()
}

fn diff_title(diff: &Diff) -> String {
    format!("{} and {}: {}", diff.a.name, diff.b.name, diff.sentence)
}
