//! A bound that the program itself keeps a container below: `if len(self.items) > self.capacity: self.items.pop(0)`.
//!
//! In: a finding that accuses a container, the user's source, numbers of the object that has it. Out: the statement, and how many elements
//! it lets be where one of the two says.
//! What must not happen here: the bound of another container, or of the one around it (`cache[key].append(x)` below `len(cache) < 100`).

use nilometer_model::{CodeFolders, HolderPath, Step};

use super::adds::attribute;
use super::kept_at::sources;
use super::source::guard::{Guard, guard};
use super::source::{Code, Part, Unit, Wanted};
use crate::lookup::Lookup;
use crate::report::{Finding, Holder};

/// A longer file is not read: 8,000 lines of some 40 bytes take 35 ms.
const MAX_FILE_BYTES: usize = 400_000;

/// Where a program keeps a container small, and at how many elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnBound {
    /// `train.py:12`.
    pub(crate) place: String,
    /// The statement.
    pub(crate) text: String,
    /// How many elements it lets be; `None` where the source does not say.
    pub(crate) elements: Option<u64>,
    /// How many bytes, where those are what it counts.
    pub(crate) bytes: Option<u64>,
}

/// Of the container that a finding accuses.
pub(crate) fn own_bound(
    finding: &Finding,
    folders: &CodeFolders,
    folder: Option<&str>,
    lookup: &mut dyn Lookup,
    numbers: &[(String, Option<u64>)],
) -> Option<OwnBound> {
    let holder = finding.holder.as_ref().filter(|holder| !has_models(holder))?;
    let name = attribute(&holder.path)?;
    let files = sources(finding, holder, folders, folder, lookup);
    let bytes = |lines: &[String]| lines.iter().map(|line| line.len() + 1).sum::<usize>();
    let tree = |lines: &Vec<String>| (bytes(lines) <= MAX_FILE_BYTES).then(|| Code::of(lines)).flatten();
    let trees: Vec<Option<Code>> = files.iter().map(|(_, lines)| tree(lines)).collect();
    let (part, is_list) = (part(holder)?, holder.kind == "list");
    let wanted = Wanted { name, part, is_list, owner: &holder.owner, numbers };
    let mentioned = |name: &str| trees.iter().flatten().any(|tree| tree.mentions(name, None));
    trees.iter().zip(&files).find_map(|(code, (file, lines))| {
        let guard = guard(code.as_ref()?, &wanted, &mentioned).filter(Guard::is_sure)?;
        let of = |unit| guard.most.filter(|_| guard.unit == unit);
        Some(OwnBound {
            place: format!("{file}:{}", guard.at + 1),
            text: lines.get(guard.at)?.trim().trim_end_matches(':').to_owned(),
            elements: of(Unit::Elements),
            bytes: of(Unit::Bytes),
        })
    })
}

/// Models are no elements with a bound: what TensorFlow keeps of each outlasts its place in the container.
fn has_models(holder: &Holder) -> bool {
    const MODELS: [&str; 3] = ["Sequential", "Functional", "Model"];
    MODELS.iter().any(|model| holder.elements.contains(model))
}

/// Of which entry of the container that has the name the elements are the own ones: of none where they are arrays, or tuples of them, which do
/// not grow themselves; of any where many of it lead to the memory and none was seen to be new. `None` where there are more levels than that.
fn part(holder: &Holder) -> Option<Part<'_>> {
    let path = HolderPath::of(&holder.path);
    let container = path.container();
    let keys = container.steps().skip(container.without_keys().steps().count()).collect::<Vec<_>>();
    match keys.as_slice() {
        [] => {}
        [Step::Item(key)] => {
            let text = key.strip_prefix(['\'', '"']).and_then(|text| text.strip_suffix(['\'', '"']));
            return Some(Part::Entry(text));
        }
        _ => return None,
    }
    let nested = path.levels();
    let tuples = || holder.elements.split(' ').any(|word| word == "tuple");
    let is_flat = nested <= 1 || tuples();
    // Where the outer one gets ever more entries, how long each of them becomes is no bound.
    let grows_itself = !is_flat && holder.kind == "dict" && holder.length.is_some();
    Some(if is_flat || grows_itself { Part::Whole } else { Part::Entry(None) })
}
