//! Bytes, times and counts as people read them: the one formatter for screen and sentences.

/// A size, in binary units: `7.6 MiB`, `812 KiB`, `-1.2 GiB`.
pub fn size(bytes: f64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes.abs();
    let mut unit = 0;
    while value >= 1023.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let sign = if bytes < 0.0 && value >= 0.05 { "-" } else { "" };
    let digits = usize::from(unit > 0 && value < 99.95);
    format!("{sign}{value:.digits$} {}", UNITS[unit])
}

/// A stretch of time: `0.4 s`, `41 s`, `3 min 41 s`, `3 h 50 min`, `12 days`.
pub fn duration(seconds: f64) -> String {
    let whole = seconds.max(0.0).round();
    if seconds < 9.95 {
        return format!("{:.1} s", seconds.max(0.0));
    }
    if whole < 60.0 {
        return format!("{whole:.0} s");
    }
    let minutes = (whole / 60.0).floor();
    if minutes < 60.0 {
        return format!("{minutes:.0} min {:.0} s", whole - minutes * 60.0);
    }
    let hours = (minutes / 60.0).floor();
    if hours < 48.0 {
        return format!("{hours:.0} h {:.0} min", minutes - hours * 60.0);
    }
    let days = (hours / 24.0).floor();
    if days < 1000.0 { format!("{days:.0} days") } else { format!("{:.0} years", days / 365.0) }
}

/// Several of a thing, in English: `epochs`, `batches`, `queries`. A printed line may count in any noun.
pub fn plural(noun: &str) -> String {
    let ends_in = |endings: &[&str]| endings.iter().any(|ending| noun.ends_with(ending));
    // The one unit whose `ch` is spoken as a `k`.
    if noun.ends_with("epoch") {
        return format!("{noun}s");
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if ends_in(&["s", "x", "z", "ch", "sh"]) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// So many of a thing: `1 epoch`, `20 batches`.
pub fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {}", plural(noun)) }
}

#[cfg(test)]
mod tests {
    use super::{counted, duration, plural, size};

    #[test]
    fn nouns_have_their_plural() {
        let cases = [
            ("epoch", "epochs"),
            ("batch", "batches"),
            ("pass", "passes"),
            ("query", "queries"),
            ("day", "days"),
            ("box", "boxes"),
            ("request", "requests"),
        ];
        for (one, several) in cases {
            assert_eq!(plural(one), several);
        }
        assert_eq!(
            (counted(1, "batch"), counted(20, "batch")),
            ("1 batch".to_owned(), "20 batches".to_owned())
        );
    }

    #[test]
    fn sizes_read_well() {
        let cases = [
            (0.0, "0 B"),
            (-0.01, "0 B"),
            (1023.0, "1023 B"),
            (1024.0, "1.0 KiB"),
            (-1_300_000.0, "-1.2 MiB"),
            (8_000_000.0, "7.6 MiB"),
            (250.0 * 1024.0 * 1024.0, "250 MiB"),
            (1e15, "909 TiB"),
        ];
        for (bytes, words) in cases {
            assert_eq!(size(bytes), words);
        }
    }

    #[test]
    fn durations_read_well() {
        let cases = [
            (0.42, "0.4 s"),
            (41.4, "41 s"),
            (221.0, "3 min 41 s"),
            (13_800.0, "3 h 50 min"),
            (1e6, "11 days"),
        ];
        for (seconds, words) in cases {
            assert_eq!(duration(seconds), words);
        }
    }
}
