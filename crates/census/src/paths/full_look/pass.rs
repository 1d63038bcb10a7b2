//! Facts about types that a full look needs, read once per type.
//!
//! In: types of live objects. Out: numbers, and the facts that all objects of a type share. What must not
//! happen here: a value that outlives the walk.

use std::cell::Cell;

use super::super::entry_costs::EntryCosts;
use super::collect::HeapType;
use super::leaf_values::LeafValues;
use crate::layout::flags;
use crate::naming::{HeapView, Kind};
use crate::object::Object;
use crate::sizes::KeptGraph;
use crate::type_info::TypeTable;

/// The caches of one walk over the heap.
pub(super) struct Pass<'a> {
    pub(super) costs: EntryCosts<'a>,
    pub(super) types: TypeTable<NodeFacts>,
    pub(super) leaves: LeafValues<'a>,
    /// Graphs of operations that objects keep, by node.
    pub(super) graphs: Vec<(u32, KeptGraph)>,
    /// Whether there are any.
    pub(super) has_graphs: &'a Cell<bool>,
}

/// What objects of a type may own outside their blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owns {
    Nothing,
    Buffers,
    /// Buffers, and a graph of operations.
    BuffersAndGraph,
}

/// Facts that the graph needs of a type, besides its [`TypeInfo`](crate::type_info::TypeInfo).
#[derive(Clone, Copy)]
pub(super) struct NodeFacts {
    /// The cost to enter its objects, where it is the same for all.
    pub(super) enter: Option<u32>,
    /// Traversal shows all children of its objects.
    pub(super) shows_all_children: bool,
    /// Its objects are dicts.
    pub(super) dict: bool,
    /// What its objects may own outside their blocks.
    pub(super) owns: Owns,
}

impl Pass<'_> {
    /// Prefetches the table behind an object whose head has come.
    #[inline]
    pub(super) fn prefetch_inner(&self, heap: &HeapView<'_>, object: Object) {
        if let Some((info, _)) = self.types.find(heap.python.type_of(object)) {
            info.prefetch_inner(object);
        }
    }

    /// The number of an object's type.
    #[inline]
    pub(super) fn number(&mut self, heap: &HeapView<'_>, met: &mut Vec<HeapType>, object: Object) -> u32 {
        let costs = &self.costs;
        self.types.number(heap.python, heap.python.type_of(object), |info| {
            let class = info.kind();
            let kind = heap.kinds.of_type(class.address());
            met.push(HeapType { address: class.address(), name: heap.python.type_name(class), kind });
            NodeFacts {
                enter: costs.of_type(class.address()),
                shows_all_children: kind != Kind::Type
                    && heap.shows_all(class.address())
                    && !heap.sizes.hides(class),
                dict: class.has(flags::DICT),
                owns: match () {
                    () if heap.sizes.may_keep_graph(class) => Owns::BuffersAndGraph,
                    () if heap.sizes.has_buffers(class) => Owns::Buffers,
                    () => Owns::Nothing,
                },
            }
        })
    }
}
