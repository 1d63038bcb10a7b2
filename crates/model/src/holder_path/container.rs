//! Which level of a path grows, and what people call it.
//!
//! In: a path. Out: the container that grows, what of each of its elements is meant, names. The census writes `[*]` for a level that many
//! of the samples pass through different elements of; the last such level is the one that grows. What must not happen here: a name that
//! is ours and not the program's, such as `<lru cache>`.

use super::{HolderPath, Root, Step};

/// How the census reaches the columns of a `DataFrame` that holds objects.
const PARTS_OF_TABLE: &str = "._mgr.<tuple>";
/// What it calls the array that a slice was cut from.
const BASE: &str = ".base";
/// An array shares its memory with a tensor; the key of a dict is as much an element of it as what stands under it.
const BESIDE_ELEMENT: [&str; 2] = [".base.obj", ".<key>"];
const MAIN: &str = "__main__";

impl<'p> HolderPath<'p> {
    /// The path without what a person need not know: of an array that shares its memory with a tensor, the array is all there is; a table of
    /// pandas' is all there is of its parts.
    #[must_use]
    pub fn plain(self) -> Self {
        self.up_to(self.plain_end)
    }

    /// Whether it leads into a table of pandas'.
    pub fn is_in_table(self) -> bool {
        self.text.contains(PARTS_OF_TABLE)
    }

    /// The container that grows: `kept.samples` of `kept.samples[*][*]`, `server.jobs` of `server.jobs[*].mask`. A path without
    /// such a level is a slot: it is its own container.
    #[must_use]
    pub fn container(self) -> Self {
        self.up_to(self.container_end)
    }

    /// The container as it is written.
    pub fn container_text(self) -> &'p str {
        self.text.get(..self.container_end).unwrap_or(self.text)
    }

    /// What of each element of the container is meant: `.mask` of `server.jobs[*].mask`, `[0]` of `taken[*][0]`; else empty.
    pub fn below(self) -> &'p str {
        self.text.get(self.below_at..self.plain_end).unwrap_or_default()
    }

    /// Whether what is behind the container's elements leads through an object's attribute, not only into tuples and dicts: who is told to
    /// own the memory is that object then, else whoever has the container.
    pub fn is_of_element(self) -> bool {
        let below = self.ends().filter(|(_, end)| self.below_at < *end && *end <= self.plain_end);
        below.map(|(step, _)| step).any(|step| !step.is_element())
    }

    /// Whether it leads to one thing, through no container that grows.
    pub fn is_slot(self) -> bool {
        self.levels() == 0
    }

    /// How many containers that grow it leads through.
    pub fn levels(self) -> usize {
        self.steps().filter(|step| *step == Step::Each).count()
    }

    /// The path up to the first container that grows, and what stands behind its elements; none of a slot.
    pub fn outermost(self) -> Option<(Self, &'p str)> {
        self.before(Step::Each)
    }

    /// The slices, if what hangs below them is the array that they were cut from.
    pub fn slices(self) -> Option<Self> {
        plain(self.text).strip_suffix(BASE).map(Self::of)
    }

    /// The path of all elements of the container, if one element's part is meant.
    pub fn elements(self) -> Option<String> {
        (!self.below().is_empty()).then(|| format!("{}{}", self.container_text(), Step::Each))
    }

    /// The same of the slices in all elements of the container.
    pub fn all_slices(self) -> Option<String> {
        let slices = self.slices()?;
        let levels = if slices.below().is_empty() { 1 } else { 2 };
        Some(format!("{}{}{BASE}", slices.container_text(), Step::Each.to_string().repeat(levels)))
    }

    /// What the container is called last in the source: `saved` of `fit(): callbacks[0].saved[*]`, `seen` of `f.<default seen>[*]`; empty
    /// if it has no name.
    pub fn name(self) -> &'p str {
        self.container().last_name()
    }

    /// The same of what the path leads to: `mask` of `server.jobs[*].mask`.
    pub fn last_name(self) -> &'p str {
        let last = self.steps().filter(|step| !step.is_element()).last();
        last.map_or(self.root.name(), Step::name)
    }

    /// That name and the keys behind it: `seen['a']` of `jobs.cache.seen['a']`. Without a name, the path as its code says it.
    pub fn last_words(self) -> &'p str {
        let (named, name) = (self.without_keys().text, self.last_name());
        let at = named.strip_suffix(name).filter(|_| !name.is_empty()).map(str::len);
        at.map_or(self.in_code(), |at| self.behind(at))
    }

    /// What has that name, as the code says it: `server.jobs[*]` of `__main__.server.jobs[*].mask`; empty for a variable of a function.
    pub fn around_last_name(self) -> &'p str {
        let (mut begin, mut at) = (None, self.steps_at);
        for (step, end) in self.ends() {
            if !step.is_element() {
                begin = Some(at);
            }
            at = end;
        }
        begin.map_or("", |begin| self.up_to(begin).in_code())
    }

    /// What has the container as an attribute of this name: `loader.ready` of `loader.ready.queue[*]`. A variable of the program's own module is
    /// nobody's attribute.
    pub fn owner_of(self, attribute: &str) -> Option<Self> {
        let container = self.container();
        let is_it = container.steps().last() == Some(Step::Attribute(attribute));
        let owner = container.text.len().checked_sub(attribute.len() + 1).filter(|_| is_it)?;
        Some(self.up_to(owner)).filter(|owner| owner.text != MAIN)
    }

    /// Keys and indexes behind the container's name, with brackets: `['train']['loss']` of `main(): engine.stats['train']['loss'][*]`.
    pub fn keys(self) -> &'p str {
        let container = self.container();
        container.behind(container.without_keys().text.len())
    }

    /// The path without the keys and indexes at its end.
    #[must_use]
    pub fn without_keys(self) -> Self {
        let named = self.ends().filter(|(step, _)| !step.is_element()).last();
        self.up_to(named.map_or(self.steps_at, |(_, end)| end))
    }

    /// The path without `[*]` at its end.
    #[must_use]
    pub fn without_elements(self) -> Self {
        let last = self.ends().filter(|(step, _)| *step != Step::Each).last();
        self.up_to(last.map_or(self.steps_at, |(_, end)| end))
    }

    /// The container as its own code calls it: `server.jobs` of `__main__.server.jobs[*].mask`, `self.callbacks` of `fit():
    /// self.callbacks[*]`.
    pub fn words(self) -> &'p str {
        self.container().in_code()
    }

    /// The path as the code says it that the root belongs to.
    pub fn in_code(self) -> &'p str {
        let root = match self.root {
            Root::Function { name, .. } => {
                self.text.strip_prefix(name).and_then(|rest| rest.strip_prefix("(): "))
            }
            Root::Word(MAIN) => self.text.strip_prefix("__main__."),
            Root::ContextVariable(_) | Root::Word(_) => None,
        };
        root.unwrap_or(self.text)
    }

    /// Whether the container is a plain variable of a function, and no part of one.
    pub fn is_local(self) -> bool {
        let is_function = matches!(self.root, Root::Function { .. });
        is_function && !self.root.name().is_empty() && self.container_end == self.steps_at
    }

    /// The last word of the dotted name that the container has, or lies in: `SAVED` of `__main__.SAVED['a'][*]`. None where an element or a
    /// function leads to its name.
    pub fn global(self) -> Option<&'p str> {
        let container = self.container();
        let mut steps = container.steps().skip_while(|step| matches!(step, Step::Attribute(_)));
        let is_named = matches!(self.root, Root::Word(_)) && steps.all(Step::is_element);
        Some(container.last_name()).filter(|name| is_named && !name.is_empty())
    }

    /// Whether it begins in the module that runs.
    pub fn is_main(self) -> bool {
        self.root == Root::Word(MAIN)
    }
}

/// The part of a path that a person sees.
pub(super) fn plain(path: &str) -> &str {
    let path = path.split_once(PARTS_OF_TABLE).map_or(path, |(table, _)| table);
    BESIDE_ELEMENT.iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path)
}
