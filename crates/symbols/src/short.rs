//! Names as people read them.
pub(crate) fn short(name: &str) -> String {
    name.to_owned()
}
