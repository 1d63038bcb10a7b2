//! What a request asks for: its address in parts, and the few headers that count.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

/// What a request says of itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestView<'a> {
    /// The address behind the host, as it came.
    pub(super) url: &'a str,
    /// The name that it asked for.
    pub(super) host: Option<&'a str>,
    /// Its cookies.
    pub(super) cookie: Option<&'a str>,
}

impl<'a> RequestView<'a> {
    /// The parts of the path.
    pub(super) fn path(&self) -> Vec<&'a str> {
        let path = self.url.split(['?', '#']).next().unwrap_or_default();
        path.split('/').filter(|part| !part.is_empty()).collect()
    }

    /// A value behind the question mark, as it came.
    pub(super) fn query(&self, name: &str) -> Option<&'a str> {
        let (_, query) = self.url.split_once('?')?;
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    pub(super) fn cookies(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let pairs = self.cookie.unwrap_or_default().split(';');
        pairs.filter_map(|pair| pair.trim().split_once('='))
    }
}

/// A file's name as a part of an address: all but plain letters, digits and a few signs by their number.
pub(super) fn key(name: &std::ffi::OsStr) -> String {
    let letter = |byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(*byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    name.as_bytes().iter().map(letter).collect()
}

/// The name that a part of an address stands for; none where it is no such part.
pub(super) fn name(key: &str) -> Option<OsString> {
    let mut bytes = Vec::new();
    let mut rest = key.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let (high, low) = (digit(rest.next())?, digit(rest.next())?);
            u8::try_from(high * 16 + low).ok()?
        } else {
            byte
        });
    }
    Some(OsString::from_vec(bytes))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn any_name_travels_in_an_address() {
        for bytes in [&b"train.nilo"[..], b"a b/c%?#&\"'<>.nilo", b"\xff\xfe.nilo", "\u{fc}.nilo".as_bytes()]
        {
            let wanted = OsString::from_vec(bytes.to_vec());
            let key = key(&wanted);
            assert!(key.bytes().all(|b| b.is_ascii_alphanumeric() || b"%-_.".contains(&b)), "{key}");
            assert_eq!(name(&key), Some(wanted));
        }
        for wrong in ["%", "%4", "%zz", "a%"] {
            assert_eq!(name(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_address_has_parts() {
        let asked =
            RequestView { url: "/compare/a/b?token=1&x=%20#y", host: None, cookie: Some("a=1; b=2;c") };
        assert_eq!(asked.path(), ["compare", "a", "b"]);
        assert_eq!(
            (asked.query("token"), asked.query("x"), asked.query("y")),
            (Some("1"), Some("%20#y"), None)
        );
        assert_eq!(asked.cookies().collect::<Vec<_>>(), [("a", "1"), ("b", "2")]);
    }
}
