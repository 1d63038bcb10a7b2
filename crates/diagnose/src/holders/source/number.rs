//! What an expression stands for, where the source says it once: a number, or nothing at all.
//!
//! In: `MAX`, `self.capacity`, `10_000`, and the frame it stands in. Out: the number. What must not happen here: a number that another call
//! or assignment may change; then there is none.

use std::rc::Rc;

use super::code::{Code, Node};
use super::frame::Frame;
use super::names::Value;

/// Names that stand for names.
const MAX_NAME_DEPTH: usize = 6;
/// What no number is above.
const INFINITE: [&str; 6] =
    ["math.inf", "np.inf", "numpy.inf", "sys.maxsize", "float(\"inf\")", "float('inf')"];

/// The number that an expression stands for.
pub(crate) fn number(frame: &Rc<Frame>, expression: Node) -> Option<u64> {
    number_within(frame, expression, MAX_NAME_DEPTH)
}

/// Whether it is something that no length is ever above, or that no condition ever holds by.
pub(crate) fn is_none(frame: &Rc<Frame>, expression: Node) -> bool {
    followed(frame, expression, MAX_NAME_DEPTH).is_some_and(|(value, frame)| {
        let code = frame.code;
        code.is(value, &["none", "false"]) || INFINITE.contains(&code.text(value))
    })
}

/// Whether an attribute keeps what an object is made with: nothing but `__init__` sets it.
pub(crate) fn is_fixed(code: &Code, name: &str) -> bool {
    const MAKERS: [&str; 2] = ["__init__", "__post_init__"];
    let is_maker = |function: Node| MAKERS.contains(&code.name(function));
    settings(code, name).iter().all(|(_, place, _)| code.function(*place).is_none_or(is_maker))
}

fn number_within(frame: &Rc<Frame>, expression: Node, depth: usize) -> Option<u64> {
    let (value, frame) = followed(frame, expression, depth)?;
    let (code, depth) = (frame.code, depth.checked_sub(1)?);
    match code.kind(value) {
        "integer" | "float" => literal(code.text(value)),
        "call" if code.field(value, "function").is_some_and(|name| code.text(name) == "int") => {
            let mut arguments = code.children(code.field(value, "arguments")?);
            let only = arguments.next().filter(|_| arguments.next().is_none())?;
            number_within(&frame, only, depth)
        }
        "binary_operator" => {
            let left = number_within(&frame, code.field(value, "left")?, depth)?;
            let right = number_within(&frame, code.field(value, "right")?, depth)?;
            match code.text(code.field(value, "operator")?) {
                "*" => left.checked_mul(right),
                "+" => left.checked_add(right),
                "-" => left.checked_sub(right),
                "//" => left.checked_div(right),
                "**" => left.checked_pow(u32::try_from(right).ok()?),
                "<<" => left.checked_mul(1_u64.checked_shl(u32::try_from(right).ok()?)?),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The expression that a name stands for, and where that is to be read.
fn followed<'c>(frame: &Rc<Frame<'c>>, expression: Node, depth: usize) -> Option<(Node, Rc<Frame<'c>>)> {
    let (code, depth) = (frame.code, depth.checked_sub(1)?);
    let expression = code.bare(expression);
    match code.kind(expression) {
        "identifier" => {
            let name = code.text(expression);
            let own = code.values(frame.function, name);
            if let (Some((value, caller)), []) = (frame.given(name), own) {
                return followed(caller, value, depth);
            }
            let home = code.home(frame.function, name);
            let is_parameter =
                home.is_some_and(|home| code.parameters(home).iter().any(|(own, _)| *own == name));
            let [(place, Value::Is(value))] = code.values(home, name) else { return None };
            let is_fixed = match home {
                Some(_) => !is_parameter && home == frame.function,
                None => {
                    code.block(*place).is_none_or(|block| code.kind(block) == "module")
                        && !code.is_set_by_functions(name)
                }
            };
            let outside = if home.is_some() { Rc::clone(frame) } else { Frame::of(code, None) };
            if is_fixed { followed(&outside, *value, depth) } else { None }
        }
        "attribute" if !INFINITE.contains(&code.text(expression)) => attribute(frame, expression, depth),
        _ => Some((expression, Rc::clone(frame))),
    }
}

/// What an attribute is set to, in the one place where that is done.
fn attribute<'c>(frame: &Rc<Frame<'c>>, expression: Node, depth: usize) -> Option<(Node, Rc<Frame<'c>>)> {
    let code = frame.code;
    let name = code.text(code.field(expression, "attribute")?);
    let of = code.field(expression, "object")?;
    let own = if code.text(of) == "self" { code.class(expression) } else { code.class_named(code.text(of)) };
    let is_akin = |class: Option<Node>| match (own, class) {
        (Some(own), Some(class)) => code.is_akin(own, class),
        _ => true,
    };
    let mut places = settings(code, name).into_iter().filter(|(class, ..)| is_akin(*class));
    let ((class, place, value), more) = (places.next()?, places.next());
    let value = value.filter(|_| more.is_none())?;
    match code.function(place) {
        // The class body, whose number each object may be given another for.
        None => {
            let is_given = code.identifiers(name).any(|one| {
                code.parent(one).is_some_and(|above| {
                    code.kind(above) == "keyword_argument" && code.field(above, "name") == Some(one)
                })
            });
            let outside = Frame::of(code, None);
            if is_given || class.is_none() && own.is_some() { None } else { followed(&outside, value, depth) }
        }
        Some(init) if code.name(init) == "__init__" => {
            let makes = |name: Node| {
                let above = code.parent(name)?;
                let is_last = code.field(above, "attribute") == Some(name);
                let (function, call) = if is_last { (above, code.parent(above)?) } else { (name, above) };
                (code.kind(call) == "call" && code.field(call, "function") == Some(function)).then_some(call)
            };
            let mut calls = code.identifiers(class.map_or("", |class| code.name(class))).filter_map(makes);
            let (first, more) = (calls.next(), calls.next());
            let made = first
                .filter(|_| more.is_none())
                .map(|call| Frame::of(code, code.function(call)).entered(init, call));
            followed(&made.unwrap_or_else(|| Frame::of(code, Some(init))), value, depth)
        }
        function => followed(&Frame::of(code, function), value, depth),
    }
}

/// Where an attribute of this name is set: of which class, the place, and the value.
fn settings(code: &Code, name: &str) -> Vec<(Option<Node>, Node, Option<Node>)> {
    let mut found = Vec::new();
    for own in code.identifiers(name) {
        let attribute = code.parent(own).filter(|above| code.field(*above, "attribute") == Some(own));
        let (is_attribute, node) = (attribute.is_some(), attribute.unwrap_or(own));
        let in_class = || {
            code.block(node)
                .and_then(|block| code.parent(block))
                .filter(|around| code.kind(*around) == "class_definition")
        };
        let class = match (is_attribute, code.kind(node)) {
            (true, _) if code.field(node, "object").is_some_and(|of| code.text(of) == "self") => {
                code.class(node)
            }
            (true, _) => None,
            (_, "identifier") if in_class().is_some() => in_class(),
            _ => continue,
        };
        let Some(parent) = code.parent(node) else { continue };
        let right = |of: Node| code.field(of, "right");
        match code.kind(parent) {
            "assignment" if code.field(parent, "left") == Some(node) => {
                found.push((class, node, right(parent)));
            }
            "augmented_assignment" if code.field(parent, "left") == Some(node) => {
                found.push((class, node, None));
            }
            // `self.x, self.limit = x, limit`
            "pattern_list" | "tuple_pattern" => {
                let values = code.parent(parent).and_then(right);
                let place = code.children(parent).position(|one| one == node);
                let same =
                    values.filter(|values| code.children(*values).count() == code.children(parent).count());
                let value = same.zip(place).and_then(|(values, place)| code.children(values).nth(place));
                found.push((class, node, value));
            }
            _ => {}
        }
    }
    found
}

/// `10_000`, `0x100`, `1e5`.
fn literal(text: &str) -> Option<u64> {
    let digits = text.replace('_', "").to_lowercase();
    if let Some(hex) = digits.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok();
    }
    let whole = |value: f64| (value.fract() == 0.0 && value < 1e15).then_some(value as u64);
    digits.parse().ok().or_else(|| digits.parse::<f64>().ok().and_then(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(expression: &str, source: &str) -> Option<u64> {
        let lines: Vec<String> = format!("{source}\n{expression}").lines().map(str::to_owned).collect();
        let code = Code::of(&lines)?;
        let last = code.children(0).last().filter(|last| code.text(*last) == expression)?;
        number(&Frame::of(&code, None), code.children(last).next()?)
    }

    #[test]
    fn numbers_as_they_are_written() {
        for (text, value) in [
            ("10_000", 10_000),
            ("5 * 1000", 5000),
            ("2**12", 4096),
            ("1 << 4", 16),
            ("int(1e5)", 100_000),
            ("1e3", 1000),
            ("4 * 2 * 3", 24),
        ] {
            assert_eq!(found(text, ""), Some(value), "{text}");
        }
        for text in ["", "x", "-5", "1.5", "f(3)", "3 + x", "'3'"] {
            assert_eq!(found(text, ""), None, "{text}");
        }
    }

    #[test]
    fn constants_that_are_set_once() {
        assert_eq!(found("MAX", "MAX = 1500\nf(MAX)"), Some(1500));
        assert_eq!(found("MAX", "MAX: int = 1500  # entries"), Some(1500));
        assert_eq!(found("MAX", "BASE = 3\nMAX = BASE"), Some(3));
        assert_eq!(found("MAX", "MAX = 1500\nif big:\n    MAX = 3000"), None, "either");
        assert_eq!(found("MAX", "MAX = 1500\nMAX *= 2"), None, "changed");
        assert_eq!(found("MAX", "def f():\n    MAX = 1500"), None, "another function's");
        assert_eq!(found("MAX", "MAX = args.entries"), None);
        assert_eq!(found("MAX", "if MAX == 3: pass"), None);
    }

    const CLASS: &str =
        "class Replay:\n    def __init__(self, path, capacity=5_000):\n        self.limit = capacity\n";

    #[test]
    fn attributes_by_what_their_object_is_made_with() {
        let with = |call: &str| found("self.limit", &format!("{CLASS}\n{call}\n"));
        assert_eq!(with("replay = Replay(p)"), Some(5000));
        assert_eq!(with("replay = Replay(p, 70)"), Some(70));
        assert_eq!(with("replay = Replay(p, capacity=80)"), Some(80));
        assert_eq!(with("SIZE = 90\nreplay = Replay(p, capacity=SIZE)"), Some(90));
        assert_eq!(with("replay = Replay(p, capacity=args.size)"), None);
        assert_eq!(with("replay = Replay(*given)"), None);
        assert_eq!(with("a = Replay(p, 7)\nb = Replay(p, 8)"), None, "which of the two is not known");
        assert_eq!(with(""), None, "made elsewhere");
        assert_eq!(with("replay = Replay(p)\nreplay.limit = 3"), None, "set twice");
    }

    #[test]
    fn attributes_that_are_numbers() {
        assert_eq!(found("self.limit", "class A:\n    limit = 40\n"), Some(40));
        assert_eq!(found("self.limit", "class A:\n    limit: int = 40\n\na = A(3, limit=10**9)\n"), None);
        assert_eq!(
            found("self.limit", "class A:\n    def __init__(self):\n        self.limit = 41\n"),
            Some(41)
        );
        assert_eq!(found("self.limit", "def f(limit=3):\n    pass\n"), None);
        let together = "class A:\n    def __init__(self, x, keep=9):\n        self.x, self.limit = x, keep\n";
        assert_eq!(found("self.limit", &format!("{together}A(3)\n")), Some(9));
        assert_eq!(found("self.limit", "class A:\n    x, limit = read()\n"), None);
    }
}
