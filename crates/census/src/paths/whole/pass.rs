//! What the walk over the whole heap needs to know of types, asked once for each.
//!
//! In: types of live objects. Out: numbers, and what is the same for all objects of a type. What must not happen here: anything
//! that outlives the walk.

use super::super::weights::Weights;
use super::collect::Met;
use super::plain::Plain;
use crate::layout::flags;
use crate::naming::{Kind, Look};
use crate::object::Object;
use crate::traits::Types;

/// What one pass over the heap knows of types.
pub(super) struct Pass<'a> {
    pub(super) weights: Weights<'a>,
    pub(super) types: Types<Of>,
    pub(super) plain: Plain<'a>,
}

/// What the graph needs to know of a type beside its traits.
#[derive(Clone, Copy)]
pub(super) struct Of {
    /// What it costs to enter its objects, where it is the same for all.
    pub(super) enter: Option<u32>,
    /// Traversal shows all that its objects lead to.
    pub(super) plain_children: bool,
    /// Its objects are dicts.
    pub(super) dict: bool,
    /// Its objects may have memory outside of their own block.
    pub(super) buffers: bool,
}

impl Pass<'_> {
    /// Asks for the memory behind an object whose own has come.
    #[inline]
    pub(super) fn expect(&self, look: &Look<'_>, object: Object) {
        if let Some((traits, _)) = self.types.find(look.python.type_of(object)) {
            traits.expect(object);
        }
    }

    /// The number of an object's type.
    #[inline]
    pub(super) fn number(&mut self, look: &Look<'_>, met: &mut Vec<Met>, object: Object) -> u32 {
        let weights = &self.weights;
        self.types.number(look.python, look.python.type_of(object), |traits| {
            let class = traits.kind();
            let kind = look.kinds.of_type(class.address());
            met.push(Met { address: class.address(), name: look.python.type_name(class), kind });
            Of {
                enter: weights.of_type(class.address()),
                plain_children: kind != Kind::Type
                    && look.shows_all(class.address())
                    && !look.sizes.hides(class),
                dict: class.has(flags::DICT),
                buffers: look.sizes.has_buffers(class),
            }
        })
    }
}
