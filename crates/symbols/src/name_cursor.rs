//! A cursor over a C++ or Rust name: balanced groups and operators.
//!
//! In: any text. Out: parts of it. An unclosed group ends with the text.

/// A position in a name.
pub(crate) struct Cursor<'a> {
    rest: &'a str,
}

/// Longest first, so that `operator<<=` is not read as `operator<`.
const OPERATORS: [&str; 39] = [
    "()", "[]", "->*", "<=>", "<<=", ">>=", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--",
    "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "<", ">", "+", "-", "*", "/", "%", "^", "&", "|", "~",
    "!", "=", ",",
];
const WORD_OPERATORS: [&str; 5] = [" new[]", " delete[]", " new", " delete", " co_await"];

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }

    pub(crate) fn rest(&self) -> &'a str {
        self.rest
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Advances by this many bytes, or to the end.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    /// The operator here, as `operator<<`; `None` for a name like `operators`.
    pub(crate) fn operator(&mut self) -> Option<String> {
        let after = self.rest.strip_prefix("operator")?;
        if let Some(token) = OPERATORS.iter().chain(&WORD_OPERATORS).find(|token| after.starts_with(**token))
        {
            self.skip("operator".len() + token.len());
            return Some(format!("operator{token}"));
        }
        if !after.starts_with([' ', '"']) {
            return None;
        }
        // A conversion, `operator std::string()`, or a literal, `operator"" _kb()`.
        let name = after.split('(').next().unwrap_or(after);
        self.skip("operator".len() + name.len());
        Some(format!("operator{name}"))
    }

    /// The balanced group that begins here, with its brackets.
    pub(crate) fn group(&mut self) -> &'a str {
        let whole = self.rest;
        let mut inside = Cursor::new(whole);
        let mut depth = 0_usize;
        while let Some(next) = inside.peek() {
            if inside.rest.starts_with("operator") && inside.operator().is_some() {
                continue;
            }
            if inside.rest.starts_with("->") {
                inside.skip(2);
                continue;
            }
            inside.skip(next.len_utf8());
            match next {
                '<' | '(' | '[' | '{' => depth += 1,
                '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        self.rest = inside.rest;
        whole.get(..whole.len() - inside.rest.len()).unwrap_or(whole)
    }
}
