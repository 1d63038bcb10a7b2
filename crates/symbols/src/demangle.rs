//! Full names from mangled ones, within bounds.
//!
//! In: a symbol as it stands in the file, any bytes. Out: text. C++ names are a small language whose substitutions can
//! make a short symbol expand without end, so length in, length out and depth are limited; what goes beyond is shown as
//! far as it went, with `…`.

use cpp_demangle::{BorrowedSymbol, DemangleOptions, ParseOptions};
use std::fmt;

/// Longer symbols are not demangled: one of TensorFlow's in ten thousand, and the parser's time grows with the length.
const MAX_MANGLED: usize = 4096;
/// Bytes of demangled text; a name that would be longer ends in `…`.
const MAX_NAME: usize = 16 * 1024;
/// Bytes of a name that stays as it is.
const MAX_RAW: usize = 200;
/// Nesting that Eigen's expressions reach is above 96, the parser's own limit; a stack of 2 MiB bears 160 unoptimised.
const MAX_DEPTH: u32 = 160;

/// The full name of a symbol.
pub(crate) fn full(raw: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(raw) else { return cut(&String::from_utf8_lossy(raw), MAX_RAW) };
    if let Some(name) = text.starts_with("_Z").then(|| rust(text)).flatten() {
        return name;
    }
    if text.starts_with("_R") {
        return rust(text).unwrap_or_else(|| cut(text, MAX_RAW));
    }
    if text.starts_with("_Z") {
        return cpp(raw).or_else(|| beginning(text)).unwrap_or_else(|| cut(text, MAX_RAW));
    }
    cut(text, MAX_RAW)
}

/// Rust names of either scheme, without their hash; the legacy one is C++'s with a hash at its end.
fn rust(text: &str) -> Option<String> {
    if text.len() > MAX_MANGLED {
        return None;
    }
    let demangled = rustc_demangle::try_demangle(text).ok()?;
    let mut out = Bounded::default();
    let written = fmt::write(&mut out, format_args!("{demangled:#}"));
    out.finish(written)
}

fn cpp(raw: &[u8]) -> Option<String> {
    if raw.len() > MAX_MANGLED {
        return None;
    }
    let symbol =
        BorrowedSymbol::new_with_options(raw, &ParseOptions::default().recursion_limit(MAX_DEPTH)).ok()?;
    let mut out = Bounded::default();
    let options = DemangleOptions::default().recursion_limit(MAX_DEPTH);
    let written = symbol.structured_demangle(&mut out, &options);
    out.finish(written)
}

/// The plain names a symbol begins with, and `…`: what is certain about one that cannot be demangled as a whole, such
/// as those of compilers newer than the demangler.
fn beginning(text: &str) -> Option<String> {
    let mut rest = text.strip_prefix("_ZN")?.trim_start_matches(['K', 'V', 'R', 'O']);
    let mut name = String::new();
    if let Some(after) = rest.strip_prefix("St") {
        name.push_str("std::");
        rest = after;
    }
    let mut names = 0;
    loop {
        let digits = rest.len() - rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
        let (length, after) = rest.split_at(digits);
        let Ok(length) = length.parse::<usize>() else { break };
        let Some((part, after)) = after.split_at_checked(length) else { break };
        name.push_str(if part.starts_with("_GLOBAL__N") { "(anonymous namespace)" } else { part });
        name.push_str("::");
        names += 1;
        rest = after;
    }
    let name = name.strip_suffix("::")?;
    (names > 0).then(|| cut(name, MAX_NAME - 4).trim_end_matches('…').to_owned() + "…")
}

/// Takes text up to a length, then refuses, which stops the demangler.
#[derive(Default)]
struct Bounded {
    text: String,
    full: bool,
}

impl Bounded {
    fn finish(self, written: fmt::Result) -> Option<String> {
        match (written, self.full) {
            (_, true) => Some(self.text),
            (Ok(()), false) if !self.text.is_empty() => Some(self.text),
            _ => None,
        }
    }
}

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.full {
            return Err(fmt::Error);
        }
        if self.text.len() + text.len() > MAX_NAME {
            self.text.push_str(&cut(text, MAX_NAME.saturating_sub(self.text.len())));
            self.full = true;
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}

/// At most `bytes` of a text, with `…` if that is not all.
fn cut(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = (0..=bytes).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    format!("{}…", text.get(..end).unwrap_or_default())
}
