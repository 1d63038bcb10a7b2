//! Full names from mangled ones, within bounds.
pub(crate) fn full(raw: &[u8]) -> String {
    String::from_utf8_lossy(raw).into_owned()
}
