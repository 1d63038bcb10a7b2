//! Demangles names, within bounds.
//!
//! In: a symbol from the file, any bytes. Out: text. C++ names are a small language whose substitutions can
//! make a short symbol expand without end. So the input's length, the output's length and the depth are
//! limited. A name beyond a limit is shown up to there, with `…`.

use cpp_demangle::{BorrowedSymbol, DemangleOptions, ParseOptions};
use std::fmt;

/// Longer symbols are not demangled: one in ten thousand of TensorFlow's. The parser's time grows with the
/// length.
const MAX_MANGLED_BYTES: usize = 4096;
/// Bytes of demangled text; a longer name ends in `…`.
const MAX_NAME_BYTES: usize = 16 * 1024;
/// Bytes of a name that is shown undemangled.
const MAX_RAW_BYTES: usize = 200;
/// Nesting of a name: as much as a thread of 2 MiB can bear in a build without optimisation.
const MAX_DEPTH: u32 = 96;

/// The full name of a symbol.
pub(crate) fn full(raw: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(raw) else { return cut(&String::from_utf8_lossy(raw), MAX_RAW_BYTES) };
    if let Some(name) = text.starts_with("_Z").then(|| rust(text)).flatten() {
        return name;
    }
    if text.starts_with("_R") {
        return rust(text).unwrap_or_else(|| cut(text, MAX_RAW_BYTES));
    }
    if text.starts_with("_Z") {
        return cpp(raw).or_else(|| beginning(text)).unwrap_or_else(|| cut(text, MAX_RAW_BYTES));
    }
    cut(text, MAX_RAW_BYTES)
}

/// Rust names of either scheme, without their hash. The legacy scheme is C++'s with a hash at the end.
fn rust(text: &str) -> Option<String> {
    if text.len() > MAX_MANGLED_BYTES {
        return None;
    }
    let demangled = rustc_demangle::try_demangle(text).ok()?;
    let mut out = Bounded::default();
    let written = fmt::write(&mut out, format_args!("{demangled:#}"));
    out.finish(written)
}

fn cpp(raw: &[u8]) -> Option<String> {
    if raw.len() > MAX_MANGLED_BYTES {
        return None;
    }
    let symbol =
        BorrowedSymbol::new_with_options(raw, &ParseOptions::default().recursion_limit(MAX_DEPTH)).ok()?;
    let mut out = Bounded::default();
    let options = DemangleOptions::default().recursion_limit(MAX_DEPTH);
    let written = symbol.structured_demangle(&mut out, &options);
    out.finish(written)
}

/// The plain names at the beginning of a symbol, and `…`: the certain part of a symbol that cannot be
/// demangled as a whole, for example from a compiler newer than the demangler.
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
    (names > 0).then(|| cut(name, MAX_NAME_BYTES - 4).trim_end_matches('…').to_owned() + "…")
}

/// Accepts text up to a length, then refuses, which stops the demangler.
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
        if self.text.len() + text.len() > MAX_NAME_BYTES {
            self.text.push_str(&cut(text, MAX_NAME_BYTES.saturating_sub(self.text.len())));
            self.full = true;
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}

/// At most `bytes` of a text, with `…` if it was cut.
fn cut(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = (0..=bytes).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    format!("{}…", text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_are_read() {
        for (raw, expected) in [
            ("malloc", "malloc"),
            (
                "_ZN10tensorflow12EagerExecuteEPNS_14EagerOperationEPPNS_12TensorHandleEPi",
                "tensorflow::EagerExecute(tensorflow::EagerOperation*, tensorflow::TensorHandle**, int*)",
            ),
            (
                "_ZN5alloc7raw_vec19RawVec$LT$T$C$A$GT$8grow_one17h0123456789abcdefE",
                "alloc::raw_vec::RawVec<T,A>::grow_one",
            ),
            ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
            ("_ZN1aD1Ev.cold", "a::~a() [clone .cold]"),
        ] {
            assert_eq!(full(raw.as_bytes()), expected);
        }
    }

    #[test]
    fn newer_manglings_give_the_beginning() {
        let name = full(b"_ZNK3tsl8internal10FutureBaseIN4absl12lts_202508146StatusELb0EE15BlockUntilReadyITpTnRiJEPFvPNS_10AsyncValueEEEEvOT0_");
        assert_eq!(name, "tsl::internal::FutureBase…");
    }

    #[test]
    fn names_that_expand_without_end_are_cut() {
        // Every substitution doubles the one before it.
        let mut raw = String::from("_Z1fSt4pairIiiE");
        for level in 0..30 {
            let previous = if level == 0 { "S_".to_owned() } else { format!("S{}_", radix_36(level - 1)) };
            raw += &format!("St4pairI{previous}{previous}E");
        }
        assert!(full(raw.as_bytes()).len() <= MAX_NAME_BYTES + 3);
    }

    fn radix_36(number: u32) -> char {
        char::from_digit(number, 36).map_or('0', |digit| digit.to_ascii_uppercase())
    }

    #[test]
    fn deep_long_and_foreign_names_come_back_short() {
        let deep = format!("_Z1f{}i", "P".repeat(4000));
        let long = format!("_ZN{}E", "1a".repeat(100_000));
        for raw in [
            deep.as_bytes(),
            long.as_bytes(),
            b"_Z",
            b"_R",
            b"_ZN",
            b"_ZN99999999999999999999a",
            &[0xff; 1000],
        ] {
            assert!(full(raw).len() <= MAX_NAME_BYTES + 3);
        }
    }
}
