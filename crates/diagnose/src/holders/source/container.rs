//! The container that is looked for, where the file has it, and all that fills it.
//!
//! In: what a finding says of it, the tree. Out: each container of the file that may be it, with the statements that add to it. What must
//! not happen here: a statement passed over that fills it, or one of another class taken for its own.

use std::rc::Rc;

use super::code::{Code, Node};
use super::filling::filled;
use super::frame::{Frame, Frames};
use super::path::{Path, Root, Step, are_alike};

/// Which part of what is called so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part<'w> {
    /// It itself.
    Whole,
    /// What it has below a key; below any where that is not known.
    Entry(Option<&'w str>),
}

/// What is looked for.
#[derive(Clone, Debug)]
pub(crate) struct Wanted<'w> {
    /// What the container is called.
    pub(crate) name: &'w str,
    pub(crate) part: Part<'w>,
    pub(crate) is_list: bool,
    /// The class whose object has it.
    pub(crate) owner: &'w str,
    /// Numbers and `None` among the attributes of that object, as a look met them.
    pub(crate) numbers: &'w [(String, Option<u64>)],
}

/// A container and what fills it.
pub(crate) struct Container<'c> {
    pub(crate) path: Path,
    /// Statements, each in its function as that is called.
    pub(crate) adding: Vec<(Rc<Frame<'c>>, Node)>,
    pub(crate) frames: Rc<Frames<'c>>,
}

/// The containers of this file that may be the wanted one, with what fills them.
pub(super) fn containers<'c>(code: &'c Code, wanted: &Wanted) -> Vec<Container<'c>> {
    let frames = Rc::new(Frames::of(code));
    let steps = match wanted.part {
        Part::Whole => Vec::new(),
        Part::Entry(key) => vec![Step::Item(key.map(str::to_owned))],
    };
    let mut adding: Vec<(Rc<Frame>, Node, Path)> = Vec::new();
    // Whoever fills it says its name, or was handed it by somebody who does.
    let naming: Vec<Option<Node>> = code.identifiers(wanted.name).map(|name| code.function(name)).collect();
    for frame in
        frames.all.iter().filter(|frame| frame.functions().any(|function| naming.contains(&function)))
    {
        for node in frame.nodes() {
            let Some(path) = filled(frame, node, wanted.is_list) else { continue };
            // What is put below a key may be the first of it.
            let around = if wanted.is_list || wanted.part != Part::Whole { None } else { path.around() };
            let is_it = |path: &Path| {
                let (name, entries) = path.named();
                name == wanted.name && (are_alike(entries, &steps) || are_alike(&steps, entries))
            };
            if let Some(path) = [Some(path), around].into_iter().flatten().find(is_it) {
                // An entry by a name may be the one that is accused.
                let path = if path.steps.last() == Some(&Step::Item(None)) && !steps.is_empty() {
                    Path { steps: [&path.steps[..path.steps.len() - 1], &steps].concat(), ..path }
                } else {
                    path
                };
                adding.push((Rc::clone(frame), node, path));
            }
        }
    }
    // Another class may have one of the same name, and a parent's bound may be passed by.
    if let Some(owner) = code.class_named(wanted.owner) {
        let is_owners = |path: &Path| match path.root {
            Root::Class(class) => code.family(owner).contains(&class),
            _ => false,
        };
        if adding.iter().any(|(.., path)| is_owners(path)) {
            adding.retain(|(.., path)| is_owners(path));
        }
    }
    let mut found: Vec<Container> = Vec::new();
    for (frame, node, path) in adding {
        match found.iter_mut().find(|container| path.is(&container.path, code)) {
            Some(container) => container.adding.push((frame, node)),
            None => found.push(Container { path, adding: vec![(frame, node)], frames: Rc::clone(&frames) }),
        }
    }
    found
}
