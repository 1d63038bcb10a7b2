//! SHA-256, by which the page's policy names the one script and the one style that may run.
//!
//! In: bytes. Out: the source expression of a content security policy. What must not happen here: use for secrets.

/// `sha256-` and the digest in base64, as a policy wants it.
pub(super) fn source(text: &str) -> String {
    format!("sha256-{}", base64(&sha256(text.as_bytes())))
}

fn sha256(message: &[u8]) -> [u8; 32] {
    let constants = roots(64, f64::cbrt);
    let mut state = [0_u32; 8];
    for (word, root) in state.iter_mut().zip(roots(8, f64::sqrt)) {
        *word = root;
    }
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(64) + if padded.len() % 64 > 56 { 64 } else { 0 } - 8, 0);
    padded.extend((message.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        mix(&mut state, block, &constants);
    }
    let mut out = [0; 32];
    for (bytes, word) in out.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    out
}

/// The first bits behind the point of roots of primes. A float of 53 bits holds all 32 of them beside the whole part.
fn roots(count: usize, root: fn(f64) -> f64) -> Vec<u32> {
    let is_prime = |n: &u32| (2..*n).all(|d| !n.is_multiple_of(d));
    let primes = (2..).filter(is_prime).take(count);
    primes.map(|prime| (root(f64::from(prime)).fract() * 4_294_967_296.0) as u32).collect()
}

#[expect(clippy::many_single_char_names, reason = "the names of the standard")]
fn mix(state: &mut [u32; 8], block: &[u8], constants: &[u32]) {
    let mut words = [0_u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for i in 16..64 {
        let (w15, w2) = (words[i - 15], words[i - 2]);
        let near = w15.rotate_right(7) ^ w15.rotate_right(18) ^ (w15 >> 3);
        let far = w2.rotate_right(17) ^ w2.rotate_right(19) ^ (w2 >> 10);
        words[i] = words[i - 16].wrapping_add(near).wrapping_add(words[i - 7]).wrapping_add(far);
    }
    let mut turn = *state;
    for (constant, word) in constants.iter().zip(words) {
        let [a, b, c, _, e, f, g, h] = turn;
        let mixed = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let chosen = (e & f) ^ (!e & g);
        let one = h.wrapping_add(mixed).wrapping_add(chosen).wrapping_add(*constant).wrapping_add(word);
        let mixed = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let two = mixed.wrapping_add((a & b) ^ (a & c) ^ (b & c));
        turn.rotate_right(1);
        turn[4] = turn[4].wrapping_add(one);
        turn[0] = one.wrapping_add(two);
    }
    for (word, add) in state.iter_mut().zip(turn) {
        *word = word.wrapping_add(add);
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = (bits >> (18 - 6 * place) & 63) as usize;
            out.push(if place > chunk.len() { '=' } else { char::from(DIGITS[digit]) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{base64, sha256};

    #[test]
    fn digests_are_those_of_the_standard() {
        let hex = |text: &str| sha256(text.as_bytes()).map(|b| format!("{b:02x}")).concat();
        assert_eq!(hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(long), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        let million = "a".repeat(1_000_000);
        assert_eq!(hex(&million), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
        assert_eq!(base64(b"light wo"), "bGlnaHQgd28=");
    }
}
