//! Printed lines without what changes in them: numbers, times, paths, bars.
//!
//! In: pieces of text, as the program writes them. Out: for each line that ends, a hash of its skeleton and its first words. A
//! carriage return or a backspace ends a line too. Pure, in constant memory. What must not happen here: an allocation; a line that is kept beyond its end.
//!
//! `epoch 3/40 loss 0.21` and `epoch 4/40 loss 0.19` have one skeleton, `epoch #/# loss #`.

/// Bytes of a skeleton that are kept as its first words.
pub(crate) const WORDS_BYTES: usize = 60;
/// Bytes of a line that count; what follows is passed over.
const MAX_LINE_BYTES: usize = 240;
/// Letters and digits of a key, at least.
const MIN_KEY_BYTES: usize = 4;
/// How often letters and digits take turns in a key that has other letters than `a` to `f`.
const MIN_KEY_TURNS: usize = 3;
/// Stands for a number, a time, a path or a key.
const PLACEHOLDER: u8 = b'#';
/// Stands for a bar or a rule.
const BAR: u8 = b'~';

/// A line that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) hash: u64,
    /// The first whole number in it: what a program counts by is mostly said first.
    pub(crate) number: Option<u64>,
    words: [u8; WORDS_BYTES],
    length: usize,
}

impl Line {
    /// The first words of the skeleton.
    pub(crate) fn words(&self) -> &str {
        let bytes = self.words.get(..self.length).unwrap_or_default();
        bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid()).trim_end()
    }
}

/// A line as it was printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole<'a> {
    bytes: &'a [u8],
    /// It ended by a line feed.
    is_complete: bool,
}

impl<'a> Whole<'a> {
    /// What was printed, as far as it counts.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Its skeleton; nothing if it says nothing. A bar that is written over and one that is complete are of two kinds.
    pub(crate) fn line(&self) -> Option<Line> {
        Skeleton::of(self.bytes, if self.is_complete { HASH_START } else { !HASH_START })
    }
}

/// Puts the lines of one stream together.
#[derive(Debug)]
pub(crate) struct Assembler {
    line: [u8; MAX_LINE_BYTES],
    length: usize,
}

impl Assembler {
    pub(crate) const fn new() -> Self {
        Self { line: [0; MAX_LINE_BYTES], length: 0 }
    }

    /// Takes the next piece, and tells of each line that ends in it.
    pub(crate) fn push(&mut self, piece: &[u8], mut tell: impl FnMut(Whole<'_>)) {
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r' | 0x08);
        let mut rest = piece;
        while let Some(at) = rest.iter().position(is_end) {
            let (part, behind) = rest.split_at(at);
            self.keep(part);
            let bytes = self.line.get(..self.length).unwrap_or_default();
            tell(Whole { bytes, is_complete: behind.first() == Some(&b'\n') });
            self.length = 0;
            rest = behind.get(1..).unwrap_or_default();
        }
        self.keep(rest);
    }

    fn keep(&mut self, part: &[u8]) {
        let room = self.line.get_mut(self.length..).unwrap_or_default();
        let kept = part.len().min(room.len());
        if let (Some(room), Some(part)) = (room.get_mut(..kept), part.get(..kept)) {
            room.copy_from_slice(part);
        }
        self.length += kept;
    }
}

/// FNV-1a, 64 bits.
const HASH_START: u64 = 0xcbf2_9ce4_8422_2325;
const HASH_FACTOR: u64 = 0x0100_0000_01b3;

/// A skeleton in the making.
struct Skeleton {
    out: Line,
    /// The last byte of it; 0 at its beginning.
    last: u8,
    /// A space came, and nothing else since.
    space: bool,
    /// It has a letter or a number.
    says_something: bool,
}

impl Skeleton {
    /// Of a whole line; nothing of one that is empty, or a mere rule.
    fn of(line: &[u8], hash: u64) -> Option<Line> {
        let out = Line { hash, number: None, words: [0; WORDS_BYTES], length: 0 };
        let mut skeleton = Self { out, last: 0, space: false, says_something: false };
        let mut rest = line;
        while let Some(taken) = skeleton.take(rest) {
            rest = rest.get(taken.max(1)..).unwrap_or_default();
        }
        skeleton.says_something.then_some(skeleton.out)
    }

    /// Takes what stands at the beginning; gives how many bytes that was, or nothing at the end.
    fn take(&mut self, rest: &[u8]) -> Option<usize> {
        let first = *rest.first()?;
        if first == b' ' || first == b'\t' {
            self.space = true;
            return Some(1);
        }
        if first == 0x1b {
            return Some(escape(rest));
        }
        let is_word_start = self.space || !self.last.is_ascii_alphanumeric();
        if is_word_start && is_key(rest) {
            self.says_something = true;
            self.put(PLACEHOLDER);
            return Some(token(rest));
        }
        let number = number(rest);
        if number > 0 {
            self.says_something = true;
            self.out.number = self.out.number.or_else(|| whole_number(rest.get(..number)?));
            self.put(PLACEHOLDER);
            return Some(number);
        }
        if first == b'/' || first == b'\\' {
            if self.last == PLACEHOLDER && !self.space {
                self.put(first);
                return Some(1);
            }
            self.put(PLACEHOLDER);
            return Some(rest.iter().position(|byte| *byte == b' ' || *byte == b'\t').unwrap_or(rest.len()));
        }
        let bar = bar(rest);
        if bar > 0 {
            self.put(BAR);
            return Some(bar);
        }
        self.says_something |= first.is_ascii_alphanumeric() || first >= 0x80;
        self.put(first);
        Some(1)
    }

    fn put(&mut self, byte: u8) {
        let space = std::mem::take(&mut self.space);
        // Changing parts that follow each other are one: a list of numbers may have any length.
        if byte == self.last && (byte == PLACEHOLDER || byte == BAR) {
            return;
        }
        if space && self.last != 0 && self.last != BAR && byte != BAR {
            self.add(b' ');
        }
        self.add(byte);
    }

    fn add(&mut self, byte: u8) {
        self.out.hash = (self.out.hash ^ u64::from(byte)).wrapping_mul(HASH_FACTOR);
        if let Some(place) = self.out.words.get_mut(self.out.length) {
            *place = byte;
            self.out.length += 1;
        }
        self.last = byte;
    }
}

/// The length of a number with its sign and its unit: `12ms`, `-0.5e-3`, `2026-11-26`, `10:31`; 0 if there is none.
fn number(rest: &[u8]) -> usize {
    let sign = usize::from(rest.first().is_some_and(|byte| b"+-.".contains(byte)));
    if !rest.get(sign).is_some_and(u8::is_ascii_digit) {
        return 0;
    }
    token(rest)
}

/// The length of what stands together: letters, digits and the signs of numbers.
fn token(rest: &[u8]) -> usize {
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || b".,:+-_%".contains(byte);
    rest.iter().position(|byte| !goes_on(byte)).unwrap_or(rest.len())
}

/// Whether a checksum, a digest or an identifier begins here: `d3a91f02`, `xK3f9Qz2`. Its first letters change with each line, so that a
/// word with a number behind, `epoch3`, is none.
fn is_key(rest: &[u8]) -> bool {
    let end = rest.iter().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let word = rest.get(..end).unwrap_or_default();
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let turns = word.windows(2).filter(|pair| matches!(pair, [a, b] if is_digit(a) != is_digit(b))).count();
    let is_hex = word.iter().all(u8::is_ascii_hexdigit);
    word.len() >= MIN_KEY_BYTES && (turns >= MIN_KEY_TURNS || is_hex && turns > 0)
}

/// The value of a whole number, with or without what ends a clause: `20`, `20:`. A time or a fraction is none.
fn whole_number(token: &[u8]) -> Option<u64> {
    let digits = token.trim_ascii_end();
    let digits = digits.strip_suffix(b":").or_else(|| digits.strip_suffix(b",")).unwrap_or(digits);
    let is_whole = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits).ok().filter(|_| is_whole)?.parse().ok()
}

/// The length of an escape sequence of the terminal.
fn escape(rest: &[u8]) -> usize {
    if rest.get(1) != Some(&b'[') {
        return 2;
    }
    let ends = |byte: &u8| (0x40..=0x7e).contains(byte);
    rest.iter().skip(2).position(ends).map_or(rest.len(), |at| at + 3)
}

/// The length of a bar: two of its parts and more, with the spaces between them; 0 if there is none. Parts are `=====>....`, and the
/// lines and blocks of Unicode from U+2500 to U+25BF. A digit behind them is a part of a part. The sign of a number is none: `total=-3`.
fn bar(rest: &[u8]) -> usize {
    let (mut at, mut parts, mut end) = (0, 0, 0);
    let is_signed = |at: usize| matches!(rest.get(at..), Some([b'-' | b'.', b'0'..=b'9', ..]));
    loop {
        match rest.get(at..).unwrap_or_default() {
            _ if is_signed(at) => return if parts > 1 { end } else { 0 },
            [0xe2, 0x94..=0x96, _, ..] => at += 3,
            [b'=' | b'>' | b'.' | b'#' | b'*' | b'_' | b'|' | b'-' | b'~', ..] => at += 1,
            [b'0'..=b'9', b' ' | b'|', ..] if parts > 0 && end == at => at += 1,
            [b' ', ..] if parts > 0 => {
                at += 1;
                continue;
            }
            _ => return if parts > 1 { end } else { 0 },
        }
        parts += 1;
        end = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&str]) -> Vec<(u64, String)> {
        let mut found = Vec::new();
        let mut assembler = Assembler::new();
        for piece in pieces {
            assembler.push(piece.as_bytes(), |whole| {
                found.extend(whole.line().map(|line| (line.hash, line.words().to_owned())));
            });
        }
        found
    }

    fn kinds(text: &str) -> usize {
        let mut hashes: Vec<u64> = lines(&[text]).into_iter().map(|(hash, _)| hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes.len()
    }

    #[test]
    fn lines_that_differ_in_numbers_are_of_one_kind() {
        for same in [
            "epoch 3/40 loss 0.21\nepoch 14/40 loss 1e-05\n",
            "batch 17 done\nbatch 1 done\n",
            "loss: -0.5\nloss: 0.5\nloss: +2\n",
            "total=-3.1 ok\ntotal=3.1 ok\ntotal=.5 ok\n",
            "total = -3.1\ntotal = 3.1\n",
            "2026-11-26 10:31:04,123 INFO step 5\n2026-11-26 10:32:14,003 INFO step 16\n",
            "15ms/step - acc: 0.5\n2s/step - acc: 0.75\n",
            "saved to /tmp/a/b.ckpt ok\nsaved to /home/me/c ok\n",
            "model_12.keras saved\nmodel_3.keras saved\n",
            "\x1b[32mround 3\x1b[0m\nround 4\n",
            "fitness [0.1, 0.2]\nfitness [0.1, 0.2, 0.3]\n",
            "  round 3\nround   4\n",
            "round 3 checksum=d3a91f02\nround 4 checksum=90ab41ce\nround 5 checksum=fb7c\n",
            "order f47ac10b-58cc-4372-a567-0e02b2c3d479 ok\norder 0e02b2c3-a567-4372-b8cc-f47ac10bd479 ok\n",
            "session xK3f9Qz2 open\nsession q81mZ0aB open\n",
        ] {
            assert_eq!(kinds(same), 1, "{same:?}: {:?}", lines(&[same]));
        }
    }

    #[test]
    fn other_words_are_another_kind() {
        assert_eq!(kinds("epoch 3\nround 3\n"), 2);
        assert_eq!(kinds("loss 3 acc 4\nloss 3\n"), 2);
        // Few turns of letters and digits, or few letters: names with a number behind.
        assert_eq!(kinds("conv2d 3\ndense2 3\n"), 2);
        assert_eq!(kinds("a12 3\nb12 3\n"), 2);
        assert_eq!(kinds("decade 3\nfacade 3\n"), 2);
    }

    #[test]
    fn a_line_may_come_in_pieces() {
        assert_eq!(lines(&["ro", "und 1", "2/40", "\n", "\n"]), lines(&["round 3/5\n"]));
        assert_eq!(lines(&["round 3"]), []);
    }

    #[test]
    fn a_bar_is_one_kind_while_it_fills_and_another_when_it_is_complete() {
        let bar = "\r 10%|#         | 1/10 [00:01<00:09]\r 50%|#####     | 5/10 [00:05<00:05]\r 90%|######### | 9/10 [00:09<00:01]";
        let blocks = "\r 10%|█▏        | 1/10\r 50%|█████▌    | 5/10\r 90%|█████████▏| 9/10\r";
        let keras = "\r1/9 [=>......] - loss: 0.1\r5/9 [====>...] - loss: 0.25\r9/9 [========] - loss: 0.3\r";
        assert_eq!((kinds(bar), kinds(blocks), kinds(keras)), (1, 1, 1), "{:?}", lines(&[bar, blocks]));
        let over = lines(&["5/9 [====>...]\r9/9 [========]\n"]);
        assert_ne!(over[0].0, over[1].0);
        assert_eq!(over[0].1, over[1].1);
    }

    #[test]
    fn first_words_are_kept_and_long_lines_are_cut() {
        assert_eq!(lines(&["epoch 3/40 loss 0.21\n"])[0].1, "epoch #/# loss #");
        let long = format!("{}\n", "é".repeat(4000));
        assert_eq!(lines(&[&long])[0].1, "é".repeat(WORDS_BYTES / 2));
    }

    #[test]
    fn rules_and_empty_lines_are_nothing() {
        assert_eq!(lines(&["\n   \n======\n....\n"]), []);
    }
}
