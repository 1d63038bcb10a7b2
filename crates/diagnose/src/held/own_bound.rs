//! A bound that the program itself keeps a container below: `if len(self.items) > self.capacity: self.items.pop(0)`.
//!
//! In: a finding that accuses a container, the user's source. Out: the statement, and how many elements it lets be where the source says.
//! What must not happen here: the bound of another container, or of the one around it (`cache[key].append(x)` below `len(cache) < 100`).

use super::adds::{adds, adds_to_list, attribute, keys};
use super::kept_at::{class_of, sources};
use super::source::guard::guard;
use super::source::number::number;
use crate::lookup::Lookup;
use crate::report::{Finding, Holder};

/// Where a program keeps a container small, and at how many elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnBound {
    /// `train.py:12`.
    pub(crate) place: String,
    /// The statement.
    pub(crate) text: String,
    /// How many elements it lets be; `None` where the source does not say.
    pub(crate) elements: Option<u64>,
}

/// Of the container that a finding accuses.
pub(crate) fn own_bound(
    finding: &Finding,
    folder: Option<&str>,
    lookup: &mut dyn Lookup,
) -> Option<OwnBound> {
    let holder = finding.holder.as_ref().filter(|holder| is_flat(holder))?;
    let name = attribute(&holder.path)?;
    let is_list = holder.kind == "list";
    for (file, lines) in sources(finding, holder, folder, lookup) {
        let is_adding = |line: &String| if is_list { adds_to_list(line, name) } else { adds(line, name, "") };
        let mut adding: Vec<usize> =
            (0..lines.len()).filter(|at| lines.get(*at).is_some_and(is_adding)).collect();
        // Another class may have one of the same name, and a parent's bound may be passed by.
        let class = class_of(&lines, &holder.owner);
        if let Some(class) = class.filter(|class| adding.iter().any(|at| class.contains(at))) {
            adding.retain(|at| class.contains(at));
        }
        let Some(guard) = guard(&lines, name, &adding) else { continue };
        let elements = number(&guard.limit, &lines);
        // `if self.limit is not None and len(...) > self.limit`: where nobody sees it set, it is none.
        if elements.is_none() && guard.depends {
            return None;
        }
        return Some(OwnBound {
            place: format!("{file}:{}", guard.at + 1),
            text: lines.get(guard.at)?.trim().trim_end_matches(':').to_owned(),
            elements,
        });
    }
    None
}

/// Whether the elements that the path means are the container's own: arrays, or tuples of them, which do not grow themselves. Models are none:
/// what TensorFlow keeps of each outlasts its place in the container.
fn is_flat(holder: &Holder) -> bool {
    const MODELS: [&str; 3] = ["Sequential", "Functional", "Model"];
    if MODELS.iter().any(|model| holder.elements.contains(model)) {
        return false;
    }
    let nested = holder.path.matches("[*]").count() > 1;
    let tuples = || holder.elements.split(' ').any(|word| word == "tuple");
    keys(&holder.path).is_empty() && (!nested || tuples())
}
