//! The options of the interpreter that the program is run with.
//!
//! In: the words before the script. Out: what they mean for us. What must not happen here: a word of the program's taken for the
//! interpreter's.

use std::ffi::{OsStr, OsString};

/// Whether Python is told to ignore `PYTHONPATH` (`-I`, `-E`) or `sitecustomize` (`-S`), the two ways in for our boot.
pub(crate) fn ignores_environment<Word: AsRef<OsStr>>(words: impl IntoIterator<Item = Word>) -> bool {
    let mut is_value = false;
    for word in words {
        let word = word.as_ref().to_string_lossy();
        if std::mem::take(&mut is_value) {
            continue;
        }
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.starts_with('-')) else {
            return false; // the script: what follows is the program's
        };
        for (at, letter) in letters.char_indices() {
            match letter {
                'I' | 'E' | 'S' => return true,
                'c' | 'm' => return false,
                'W' | 'X' => {
                    is_value = at + 1 == letters.len();
                    break;
                }
                _ => {}
            }
        }
    }
    false
}

/// The words of a running interpreter from the script on, or from `-m` or `-c` on: those that are the program's.
pub(crate) fn program_words(words: impl IntoIterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    let mut is_value = false;
    words.into_iter().skip_while(move |word| {
        if std::mem::take(&mut is_value) {
            return true;
        }
        let word = word.to_string_lossy();
        let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            return false;
        };
        if letters.starts_with('-') {
            return true;
        }
        for (at, letter) in letters.char_indices() {
            match letter {
                'c' | 'm' => return false,
                'W' | 'X' => {
                    is_value = at + 1 == letters.len();
                    break;
                }
                _ => {}
            }
        }
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_words_begin_after_the_interpreters() {
        let of = |line: &str| {
            let words: Vec<_> = program_words(line.split_whitespace().map(OsString::from))
                .map(|word| word.into_string().unwrap_or_default())
                .collect();
            words.join(" ")
        };
        assert_eq!(of("-u -X dev train.py -x"), "train.py -x");
        assert_eq!(of("-Wd -m pkg.train a"), "-m pkg.train a");
        assert_eq!(of("-c pass"), "-c pass");
        assert_eq!(of("-"), "-");
        assert_eq!(of("-i"), "");
    }

    #[test]
    fn interpreters_that_ignore_their_environment_are_known() {
        for line in ["-I", "-E x.py", "-BS x.py", "-X dev -I x.py", "-Wd -uE -m pkg"] {
            assert!(ignores_environment(line.split_whitespace()), "{line}");
        }
        for line in ["", "x.py -I", "-X E x.py", "-W I", "-m pkg -E", "-c I", "-Bum pkg -I", "-OO x.py"] {
            assert!(!ignores_environment(line.split_whitespace()), "{line}");
        }
    }
}
