//! Quantities as people write them on the command line: sizes and shares.
//!
//! In: a word. Out: the number, or what is wrong with it in words that say what would be right.

use crate::supervisor::keep::Keep;
use crate::words::values;

/// Below this every small object would be a sample.
const MIN_SAMPLE_BYTES: u64 = 1024;
/// Less has no room beside what is being written; of more no unit has a bit in the header page.
const KEEP_BYTES: std::ops::RangeInclusive<u64> = 4 << 20..=1 << 30;
/// More than half of the time spent on looking is no help to anyone.
const MAX_PERCENT: f64 = 50.0;

/// A size, such as `512K`, `4M` or `65536`.
pub(crate) fn size(word: &str) -> Result<u64, String> {
    bytes(word).ok_or_else(values::size)
}

/// Mean bytes between samples.
pub(crate) fn sample(word: &str) -> Result<u64, String> {
    let bytes = size(word)?;
    if bytes < MIN_SAMPLE_BYTES {
        return Err(values::sample(MIN_SAMPLE_BYTES));
    }
    Ok(bytes)
}

/// How much of a capture is kept.
pub(crate) fn keep(word: &str) -> Result<Keep, String> {
    match word {
        "usual" => return Ok(Keep::Usual),
        "all" => return Ok(Keep::All),
        _ => {}
    }
    let bytes = size(word)?;
    if KEEP_BYTES.contains(&bytes) { Ok(Keep::Bytes(bytes)) } else { Err(values::keep()) }
}

/// A share of the time in percent, with the sign or without, as a part of one.
pub(crate) fn overhead(word: &str) -> Result<f64, String> {
    let number = word.strip_suffix('%').unwrap_or(word).trim_end();
    let percent: f64 = plain(number).ok_or_else(values::share)?;
    if percent > 0.0 && percent <= MAX_PERCENT {
        Ok(percent / 100.0)
    } else {
        Err(values::share_range(MAX_PERCENT))
    }
}

/// A size in bytes; units are powers of 1024, `K`, `KB` and `KiB` are the same.
fn bytes(word: &str) -> Option<u64> {
    let split = word.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(word.len());
    let (number, unit) = word.split_at(split);
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return None,
    };
    let bytes = plain(number.trim_end())? * f64::from(1_u32 << shift);
    // Beyond this no machine has an address.
    (bytes <= f64::from(1_u32 << 30) * 1024.0 * 1024.0).then_some(bytes.round() as u64)
}

/// A number in digits; no sign, no exponent, no `inf`.
fn plain(word: &str) -> Option<f64> {
    let digits = word.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
    if digits { word.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (word, is) in [
            ("512K", 524_288),
            ("64k", 65_536),
            ("4M", 4 << 20),
            ("65536", 65_536),
            ("1.5KiB", 1536),
            ("1G", 1 << 30),
        ] {
            assert_eq!(sample(word), Ok(is), "{word}");
        }
        for word in ["", "K", "-1K", "x", "1T", "1e6", "inf", "1K2", "1023", "0", "9999999999G", "1..2", "½K"]
        {
            assert!(sample(word).is_err(), "{word}");
        }
    }

    #[test]
    fn a_bound_is_four_mebibytes_to_one_gibibyte() {
        for (word, is) in [("4M", Keep::Bytes(4 << 20)), ("1G", Keep::Bytes(1 << 30)), ("all", Keep::All)] {
            assert_eq!(keep(word), Ok(is), "{word}");
        }
        for word in ["3.9M", "1.1G", "none", ""] {
            assert!(keep(word).is_err(), "{word}");
        }
    }

    #[test]
    fn shares_are_percent() {
        assert_eq!(overhead("2"), Ok(0.02));
        assert_eq!(overhead("2%"), Ok(0.02));
        assert_eq!(overhead("0.5 %"), Ok(0.005));
        assert_eq!(overhead("50"), Ok(0.5));
        for word in ["0", "-1", "51", "", "%", "nan", "two", "1e1"] {
            assert!(overhead(word).is_err(), "{word}");
        }
    }
}
