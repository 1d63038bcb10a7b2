//! The options of the interpreter that the program is run with.
//!
//! In: the words before the script. Out: what they mean for us. What must not happen here: a word of the program's taken for the
//! interpreter's.

use std::ffi::OsStr;

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

#[cfg(test)]
mod tests {
    use super::*;

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
