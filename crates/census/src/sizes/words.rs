//! An object in a few words: `ndarray (2000, 500) float64`, `slice (500,) of ndarray (2000, 500) float64`, `tuple of 2`, `str`.
//!
//! In: a live object. Out: words that are equal for objects of the same make, so that they can be counted. What must not happen
//! here: the object's content; a capture may leave the machine.

use super::{Family, Sizes, arrow, jax, numpy, tensorflow, torch};
use crate::layout::flags;
use crate::memory;
use crate::object::Object;
use crate::types::{Shape, shape_of};

impl Sizes<'_> {
    /// What the object is.
    pub fn words(&self, o: Object) -> String {
        let python = self.python;
        let kind = python.type_of(o);
        let name = python.type_name(kind);
        let short = name.rsplit('.').next().unwrap_or(&name).to_string();
        let family = self.family(kind);
        let shape = match family {
            Family::Numpy => numpy::shape(o).map(|(shape, _)| (shape, numpy::element_words(o))),
            Family::EagerTensor | Family::ResourceVariable => {
                tensorflow::shape(python, o, family == Family::ResourceVariable)
            }
            Family::Torch => torch::shape(o),
            Family::Jax => jax::shape(self.descriptions(), o),
            Family::Arrow(form) => arrow::shape(o, form).map(|shape| (shape, "")),
            _ => None,
        };
        match shape {
            Some((shape, _))
                if family == Family::Numpy
                    && let Some(whole) = self.cut_from(o) =>
            {
                format!("slice {} of {}", tuple(&shape), self.words(whole))
            }
            Some((shape, element)) => format!("{short} {} {element}", tuple(&shape)).trim_end().to_string(),
            None if shape_of(python, kind) == Shape::Tuple => self.tuple_words(o, &short),
            None if shape_of(python, kind) == Shape::Dict => self.dict_words(o, short),
            // A class of the user's may be called as it likes.
            None if kind.has(flags::EXCEPTION)
                && !short.ends_with("Error")
                && !short.ends_with("Exception") =>
            {
                format!("{short} exception")
            }
            None => short,
        }
    }

    /// The array that keeps its memory for the sake of a slice much smaller than itself.
    fn cut_from(&self, slice: Object) -> Option<Object> {
        let is_array = |base: &Object| self.family(self.python.type_of(*base)) == Family::Numpy;
        numpy::base(slice).filter(is_array).filter(|base| !self.is_all_of(slice, *base))
    }

    /// A small dict by the types of its values, `dict (ndarray, int)`: a record of somebody's. Others by their name alone.
    fn dict_words(&self, o: Object, short: String) -> String {
        const SHORT: u64 = 4;
        let python = self.python;
        let view = python.dict_view(o).filter(|_| python.length(o).is_some_and(|n| (1..=SHORT).contains(&n)));
        let Some(view) = view else { return short };
        let mut names = Vec::new();
        view.each(&mut |_, value| {
            let name = python.type_name(python.type_of(value));
            names.push(name.rsplit('.').next().unwrap_or(&name).to_owned());
            names.len() < SHORT as usize
        });
        if names.is_empty() { short } else { format!("{short} ({})", names.join(", ")) }
    }

    /// A short tuple by the types of what is in it, a long one by its length: `tuple (int, ndarray)`, `tuple of 9`.
    fn tuple_words(&self, o: Object, short: &str) -> String {
        const SHORT: u64 = 4;
        let python = self.python;
        let length = python.length(o).unwrap_or(0);
        if length == 0 || length > SHORT {
            return format!("{short} of {length}");
        }
        let name = |index| {
            let item = Object(memory::word(o.0, python.layout.tuple_items + 8 * index));
            let name = if item.0 == 0 { String::new() } else { python.type_name(python.type_of(item)) };
            name.rsplit('.').next().unwrap_or(&name).to_owned()
        };
        format!("{short} ({})", (0..length).map(name).collect::<Vec<_>>().join(", "))
    }
}

/// As Python writes a shape.
fn tuple(shape: &[u64]) -> String {
    match shape {
        [one] => format!("({one},)"),
        more => format!("({})", more.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
    }
}
