//! Pages that `nilometer serve` hands out: the same page, which also follows the program while it runs, and the list of
//! captures.
//!
//! In: what the pages of files get, and where the page finds what is new. Out: pages, and the same data alone. What must
//! not happen here: another renderer than the one of the page that stands alone.

use nilometer_diagnose::{Diff, Profile, Report};
use serde::Serialize;
use serde_json::{Value, json};

use super::document::Document;
use super::{DIFF, SCREEN, SERVED, SHELF};
use crate::headline::Headline;
use crate::{diff_terminal, terminal};

/// Where a served page finds what is new. All addresses are of the server that it came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Served {
    /// Counts how often the capture was read.
    pub version: u64,
    /// Whether the program still runs.
    pub running: bool,
    /// Where the data alone is.
    pub data: String,
    /// Where the server says that there is something new.
    pub events: String,
    /// The list of captures, if there is one.
    pub home: Option<String>,
}

/// A capture in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShelfItem {
    /// The name of its file.
    pub name: String,
    /// The same as a part of an address.
    pub key: String,
    /// The size of the file.
    pub bytes: u64,
    /// When it was changed last, in seconds since 1970; null where the file system does not say.
    pub modified: Option<u64>,
}

/// The captures of a folder, the newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shelf {
    /// The folder.
    pub folder: String,
    /// What lies in it.
    pub items: Vec<ShelfItem>,
}

/// A page with the policy that a server says too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedPage {
    /// The content security policy, as it stands in the page.
    pub policy: String,
    /// The document.
    pub text: String,
}

impl ServedPage {
    fn of(document: &Document) -> Self {
        Self { policy: document.policy(), text: document.text() }
    }
}

/// The page of a capture that may still be written.
pub fn served_html(report: &Report, profile: Option<&Profile>, served: &Served) -> ServedPage {
    ServedPage::of(&Document {
        title: &Headline::of(report).sentence(),
        screen: &terminal(report, &SCREEN),
        data: &run(report, profile, served),
        script: SERVED,
        asks: true,
    })
}

/// What that page shows, for a page that is open already.
pub fn served_data(report: &Report, profile: Option<&Profile>, served: &Served) -> String {
    run(report, profile, served).to_string()
}

fn run(report: &Report, profile: Option<&Profile>, served: &Served) -> Value {
    let headline = Headline::of(report);
    let (title, headline) = (headline.sentence(), headline.told());
    json!({ "report": report, "headline": headline, "profile": profile, "redacted": false, "title": title, "served": served })
}

/// The page of a difference, with a way back to the list.
pub fn served_diff(diff: &Diff, served: &Served) -> ServedPage {
    ServedPage::of(&Document {
        title: &super::diff_title(diff),
        screen: &diff_terminal(diff, &SCREEN),
        data: &json!({ "diff": diff, "served": served }),
        script: DIFF,
        asks: false,
    })
}

/// The list of captures.
pub fn shelf_html(shelf: &Shelf) -> ServedPage {
    let names = shelf.items.iter().map(|item| format!("{}\n", item.name));
    ServedPage::of(&Document {
        title: &format!("Captures in {}", shelf.folder),
        screen: &names.collect::<String>(),
        data: &json!({ "shelf": shelf }),
        script: SHELF,
        asks: true,
    })
}

/// What the list shows, for a list that is open already.
pub fn shelf_data(shelf: &Shelf) -> String {
    json!({ "shelf": shelf }).to_string()
}
