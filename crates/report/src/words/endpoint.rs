//! Which endpoint makes the growth.

use nilometer_diagnose::{Bytes, Endpoint, plural, size};

/// `Growth is made in POST /score: +10.1 KiB per request of it (95 %: 9.8 KiB to 10.4 KiB).` `more` grow and are not named.
pub(crate) fn made_in(named: &[&Endpoint], more: usize, unit: &str) -> String {
    let named: Vec<String> = named.iter().map(|one| rate(one, unit)).collect();
    let more = if more > 0 { format!("; and in {more} more") } else { String::new() };
    format!("Growth is made in {}{more}.", named.join("; in "))
}

/// Behind that sentence, where an endpoint never comes without another one.
pub(crate) const NOT_APART: &str = "What comes together cannot be told apart.";

/// Nobody is named, as these always come together.
pub(crate) fn together(one: &Endpoint) -> String {
    let names = one.together_with.iter().fold(one.name.clone(), |names, name| format!("{names} and {name}"));
    format!("{names} always come together; they cannot be told apart.")
}

fn rate(one: &Endpoint, unit: &str) -> String {
    let of = if one.together_with.is_empty() { "of it" } else { "of either" };
    let Bytes { estimate, low, high } = one.bytes_per_request;
    let range = format!("95 %: {} to {}", size(low as f64), size(high as f64));
    format!("{}: +{} per {unit} {of} ({range})", name(one), size(estimate as f64))
}

/// Its name, with those that cannot be told from it.
pub(crate) fn name(one: &Endpoint) -> String {
    one.together_with.iter().fold(one.name.clone(), |names, other| format!("{names} or {other}"))
}

/// What an endpoint does, in a word or two.
pub(crate) fn course(one: &Endpoint) -> String {
    let Bytes { estimate, low, high } = one.bytes_per_request;
    if one.grows {
        format!("+{} each", size(estimate as f64))
    } else if one.is_flat {
        "flat".to_owned()
    } else {
        format!("not known: {} to {} each", size(low as f64), size(high as f64))
    }
}

/// The head of a table in Markdown.
pub(crate) fn table(unit: &str) -> String {
    format!("| endpoint | {} | growth |\n|---|---|---|\n", plural(unit))
}
