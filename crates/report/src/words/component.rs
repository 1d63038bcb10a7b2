//! A part of the memory that is no leak: how much, when, where.

use nilometer_diagnose::{Component, Kind, Site, size};

/// A place, short: the file's name, the line, and what it calls.
pub(crate) fn place(site: &Site) -> String {
    let file = site.file.rsplit('/').next().unwrap_or(&site.file);
    let line = if site.line > 0 { format!(":{}", site.line) } else { String::new() };
    let inside = site.inside.as_ref().map_or(String::new(), |inside| format!(", in {inside}"));
    format!("made at {file}{line}{inside}")
}

/// `+17.0 MiB once, entering fit()`.
pub(crate) fn amount(component: &Component, unit: &str) -> String {
    match (component.kind, component.bytes_per_cycle) {
        (Kind::OneTime, _) => format!("+{} once, {}", size(component.bytes as f64), when(component)),
        (Kind::Reserved, _) => format!("{} reserved", size(component.bytes as f64)),
        (Kind::FileBacked, _) => format!("{} file-backed", size(component.bytes as f64)),
        (Kind::Retained, None) => format!("{} retained", size(component.bytes as f64)),
        (Kind::Filling, _) => format!("+{} filling", size(component.bytes as f64)),
        (kind, Some(rate)) => {
            let word = if kind == Kind::Retained { "retained" } else { "sawtooth" };
            format!("+{} per {unit}, {word}", size(rate as f64))
        }
        (_, None) => size(component.bytes as f64),
    }
}

fn when(component: &Component) -> String {
    match component.phase.as_deref() {
        Some("import") => "importing".to_owned(),
        Some("fit_entry") => "entering fit()".to_owned(),
        Some("first_batch") => "in the first batch".to_owned(),
        Some("first_op") => "at the first operation".to_owned(),
        Some("build") => "building the model".to_owned(),
        Some("epoch") => "in the first epochs".to_owned(),
        Some("validation") => "in the first validation".to_owned(),
        Some("predict") => "in the first predict()".to_owned(),
        Some("evaluate") => "in the first evaluate()".to_owned(),
        Some("trace") => "tracing".to_owned(),
        Some("before") => "before the recording".to_owned(),
        Some("program") => "in the program itself".to_owned(),
        Some(other) => format!("in {other}"),
        None => "in mid-run".to_owned(),
    }
}
