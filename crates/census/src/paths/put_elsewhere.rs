//! Where frameworks keep what their users put elsewhere: what is put into `app.state.paths` lies in a dict `_state` of the state.
//!
//! In: an object and the name of one of its attributes. Out: how a path reads that goes on behind it. What must not happen here: a
//! class that is recognised by its name alone, which a program may give to its own.

use crate::layout::TYPE;
use crate::memory::word;
use crate::naming::HeapView;

/// What a user writes for that attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PutElsewhere {
    /// The keys of the dict are attributes of the object.
    Attributes,
    /// The dict is what `object[key]` looks into.
    Items,
    /// The dict has a metric for each set of labels, which is made by `object.labels()`.
    ChildrenPerLabel,
}

/// Module, class, attribute; the class may be a base.
const ALL: [(&str, &str, &str, PutElsewhere); 6] = [
    ("starlette.datastructures", "State", "_state", PutElsewhere::Attributes),
    ("aiohttp.web_app", "Application", "_state", PutElsewhere::Items),
    ("torch.nn.modules.module", "Module", "_modules", PutElsewhere::Attributes),
    ("torch.nn.modules.module", "Module", "_parameters", PutElsewhere::Attributes),
    ("torch.nn.modules.module", "Module", "_buffers", PutElsewhere::Attributes),
    ("prometheus_client.metrics", "MetricWrapperBase", "_metrics", PutElsewhere::ChildrenPerLabel),
];

/// What a user writes for this attribute of the object, where that is something else.
pub(super) fn put_elsewhere(heap: &HeapView<'_>, object: u64, name: &str) -> Option<PutElsewhere> {
    // Nearly all names are of no row, and then nothing is read.
    let mut rows = ALL.iter().filter(|(_, _, attribute, _)| *attribute == name).peekable();
    rows.peek()?;
    let classes: Vec<(String, String)> = heap
        .bases(word(object, TYPE))
        .map(|class| (heap.module_of_class(class), heap.type_name(class)))
        .collect();
    rows.find(|(module, class, _, _)| classes.iter().any(|(of, name)| of == module && name == class))
        .map(|(_, _, _, how)| *how)
}
