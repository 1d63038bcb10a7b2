//! Types that own native memory which Python cannot see.
//!
//! In: a type. Out: whether its objects may hold more than can be sized here. What must not happen here: a
//! guess of how much.

use crate::object::{Python, Type};

/// Names along the bases, with the required beginning of their module.
const OPAQUE_TYPES: [(&[u8], &str); 10] = [
    (b"Tape", "tensorflow"),
    (b"OwnedIterator", "tensorflow."),
    (b"DatasetV2", "tensorflow."),
    (b"ConcreteFunction", "tensorflow."),
    (b"AtomicFunction", "tensorflow."),
    (b"FuncGraph", "tensorflow."),
    (b"SummaryWriter", "tensorflow."),
    (b"CapturableResource", "tensorflow."),
    (b"BaseSession", "tensorflow."),
    (b"UntypedStorage", "torch."),
];

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
        OPAQUE_TYPES
            .iter()
            .any(|(holder, module)| *holder == short && python.type_name(part).starts_with(module))
            || name.starts_with(b"pyarrow.lib.")
    })
}
