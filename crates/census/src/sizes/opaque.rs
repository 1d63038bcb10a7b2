//! Types that own native memory which Python cannot see.
//!
//! In: a type. Out: whether its objects may hold more than can be sized here. What must not happen here: a
//! guess of how much.

use crate::object::{Python, Type};

/// Whether the type or a base is such a holder, or a binding generator made it for a C++ class.
pub(super) fn is_opaque(python: &Python, kind: Type) -> bool {
    let made_by = python.type_of(crate::object::Object(kind.0)).raw_name();
    if made_by.ends_with(b"pybind11_type")
        || made_by.starts_with(b"nanobind")
        || made_by.starts_with(b"nb_type")
    {
        return true;
    }
    kind.chain().any(|part| {
        let name = part.raw_name();
        let short = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
        let is_holder = |(holder, module): &(&str, &str)| {
            holder.as_bytes() == short && python.type_name(part).starts_with(module)
        };
        python.packs.iter().any(|pack| {
            pack.opaque.iter().any(is_holder)
                || pack.opaque_modules.iter().any(|module| name.starts_with(module.as_bytes()))
        })
    })
}
