//! A short description of an object: `ndarray (2000, 500) float64`, `slice (500,) of ndarray (2000, 500)
//! float64`, `slice (4, 300) of Tensor (240000,) float32`, `Tensor () float32 with grad_fn`, `tuple of 2`, `str`. A tensor does not
//! know the shape of the one that it was cut from, only its elements.
//!
//! In: a live object. Out: text that is equal for similar objects, so that they can be counted. What must not
//! happen here: the object's content; a capture may leave the machine.

use super::{Family, Sizes, numpy};
use crate::layout::flags;
use crate::memory;
use crate::object::Object;
use crate::shape::{Shape, shape_of};

impl Sizes<'_> {
    /// Describes the object.
    pub fn describe(&self, o: Object) -> String {
        let python = self.python;
        let kind = python.type_of(o);
        let name = python.type_name(kind);
        let short = name.rsplit('.').next().unwrap_or(&name).to_string();
        let family = self.family(kind);
        let shape = match family {
            Family::Numpy => numpy::shape(o).map(|(shape, _)| (shape, numpy::element_name(o))),
            Family::Of(reader) => reader.shape(self, o),
            _ => None,
        };
        match shape {
            Some((shape, _))
                if matches!(family, Family::Numpy)
                    && let Some(base) = self.sliced_base(o) =>
            {
                format!("slice {} of {}", tuple(&shape), self.describe(base))
            }
            Some((shape, element))
                if let Family::Of(reader) = family
                    && let Some(elements) = reader.cut_from(self, o) =>
            {
                format!("slice {} of {short} ({elements},) {element}", tuple(&shape))
            }
            Some((shape, element)) => {
                let text = format!("{short} {} {element}", tuple(&shape));
                format!("{}{}", text.trim_end(), self.graph_words(o))
            }
            None if shape_of(python, kind) == Shape::Tuple => self.describe_tuple(o, &short),
            None if shape_of(python, kind) == Shape::Dict => self.describe_dict(o, short),
            // A user's exception class may have any name.
            None if kind.has(flags::EXCEPTION)
                && !short.ends_with("Error")
                && !short.ends_with("Exception") =>
            {
                format!("{short} exception")
            }
            None => short,
        }
    }

    /// The base array that a much smaller slice keeps alive.
    fn sliced_base(&self, slice: Object) -> Option<Object> {
        let is_array = |base: &Object| matches!(self.family(self.python.type_of(*base)), Family::Numpy);
        numpy::base(slice).filter(is_array).filter(|base| !self.is_all_of(slice, *base))
    }

    /// What is told of an object that keeps the graph which made it.
    fn graph_words(&self, o: Object) -> &'static str {
        if self.graph_of(o).is_some() { " with grad_fn" } else { "" }
    }

    /// The type's last name.
    fn short_name(&self, o: Object) -> String {
        if o.0 == 0 {
            return String::new();
        }
        let name = self.python.type_name(self.python.type_of(o));
        format!("{}{}", name.rsplit('.').next().unwrap_or(&name), self.graph_words(o))
    }

    /// A small dict by the types of its values, `dict (ndarray, int)`: probably a record. Others by name
    /// alone.
    fn describe_dict(&self, o: Object, short: String) -> String {
        const MAX_TYPED_ENTRIES: u64 = 4;
        let python = self.python;
        let view = python
            .dict_view(o)
            .filter(|_| python.length(o).is_some_and(|n| (1..=MAX_TYPED_ENTRIES).contains(&n)));
        let Some(view) = view else { return short };
        let mut names = Vec::new();
        view.each(&mut |_, value| {
            names.push(self.short_name(value));
            names.len() < MAX_TYPED_ENTRIES as usize
        });
        if names.is_empty() { short } else { format!("{short} ({})", names.join(", ")) }
    }

    /// A short tuple by the types of its items, a long one by its length: `tuple (int, ndarray)`, `tuple of
    /// 9`.
    fn describe_tuple(&self, o: Object, short: &str) -> String {
        const MAX_TYPED_ENTRIES: u64 = 4;
        let python = self.python;
        let length = python.length(o).unwrap_or(0);
        if length == 0 || length > MAX_TYPED_ENTRIES {
            return format!("{short} of {length}");
        }
        let name = |index| self.short_name(Object(memory::word(o.0, python.layout.tuple_items + 8 * index)));
        format!("{short} ({})", (0..length).map(name).collect::<Vec<_>>().join(", "))
    }
}

/// A shape as Python writes it.
fn tuple(shape: &[u64]) -> String {
    match shape {
        [one] => format!("({one},)"),
        more => format!("({})", more.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
    }
}
