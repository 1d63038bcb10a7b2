//! What number an expression stands for, where the source says it once.
//!
//! In: `MAX`, `self.capacity`, `10_000`. Out: the number. What must not happen here: a number that another call or assignment may
//! change; then there is none.

use super::blocks::{around, indent};
use super::words::{bracketed, code, is_dotted, last_name, mentions};

/// Names that stand for names.
const DEEPEST: usize = 4;

/// The number that `expression` stands for in this file.
pub(crate) fn number(expression: &str, lines: &[String]) -> Option<u64> {
    resolve(expression, lines, DEEPEST)
}

fn resolve(expression: &str, lines: &[String], depth: usize) -> Option<u64> {
    let expression = expression.trim();
    if let Some(found) = literal(expression) {
        return Some(found);
    }
    if !is_dotted(expression) || depth == 0 {
        return None;
    }
    let name = last_name(expression);
    let [place] = assignments(lines, name).try_into().ok()?;
    let Place { at, value, is_attribute, is_outermost } = place;
    let is_own = expression.contains('.');
    match literal(&value) {
        // A constant, an attribute that the class or its `__init__` sets.
        Some(found) if is_outermost || is_attribute => Some(found),
        Some(found) if is_own && is_in_class_body(lines, at) && !is_given(lines, name) => Some(found),
        None if is_attribute && is_dotted(&value) => parameter(&value, at, lines),
        None if is_outermost => resolve(&value, lines, depth - 1),
        // A variable of a function, which another call sets anew.
        _ => None,
    }
}

/// A place that gives a name a value.
#[derive(Debug)]
struct Place {
    at: usize,
    value: String,
    is_attribute: bool,
    is_outermost: bool,
}

/// Statements that assign to a name, or to an attribute of that name.
fn assignments(lines: &[String], name: &str) -> Vec<Place> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let line = code(line);
        let Some((targets, value)) = mentions(line, name).next().and_then(|_| assignment(line)) else {
            continue;
        };
        let (targets, values) = (arguments(targets), arguments(value));
        for (place, target) in targets.iter().enumerate().filter(|(_, target)| last_name(target) == name) {
            // What is unpacked from one thing is not known.
            let each = (targets.len() == values.len()).then(|| values.get(place).copied()).flatten();
            let value = if targets.len() == 1 { value } else { each.unwrap_or_default() };
            found.push(Place {
                at,
                value: value.trim().to_owned(),
                is_attribute: target.contains('.'),
                is_outermost: indent(line) == Some(0),
            });
        }
    }
    found
}

/// What is assigned to, and the value: `self.limit` and `5` of `self.limit = 5`, `limit: int = 5` and `limit += 5`.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let mut depth = 0;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        let is_first = !matches!(before, '=' | '<' | '>' | '!' | ':');
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '=' if depth == 0 && is_first && !line[at + 1..].starts_with('=') => {
                let target = line[..at].split(':').next()?.trim().trim_end_matches(['+', '-', '*', '/', ' ']);
                return arguments(target)
                    .iter()
                    .all(|one| is_dotted(one))
                    .then_some((target, &line[at + 1..]));
            }
            _ => {}
        }
        before = c;
    }
    None
}

/// Whether a call may give it: `Replay(capacity=80)`, by which a data class has another one than its body says.
fn is_given(lines: &[String], name: &str) -> bool {
    let gives = |line: &String| {
        mentions(code(line), name).any(|(before, after)| {
            let after = after.trim_start();
            before.trim_end().ends_with(['(', ',']) && after.starts_with('=') && !after.starts_with("==")
        })
    };
    lines.iter().any(gives)
}

fn is_in_class_body(lines: &[String], at: usize) -> bool {
    let (class, function) = (around(lines, at, "class "), around(lines, at, "def "));
    class.is_some() && function.is_none_or(|function| class > Some(function))
}

/// The number that the parameter of this name has in the one call that makes the object whose attribute is set at a line.
fn parameter(name: &str, at: usize, lines: &[String]) -> Option<u64> {
    let head = around(lines, at, "def ").and_then(|at| lines.get(at))?;
    let class = around(lines, at, "class ").and_then(|at| lines.get(at))?.trim_start();
    let class = class.strip_prefix("class ")?.split(['(', ':']).next()?.trim();
    let (parameters, _) = bracketed(&head[head.find('(')?..])?;
    let parameters: Vec<&str> = arguments(parameters).into_iter().skip(1).collect();
    let called = |parameter: &&str| parameter.split([':', '=']).next().map(str::trim) == Some(name);
    let place = parameters.iter().position(called)?;
    let default = parameters.get(place)?.split_once('=').map(|(_, value)| value);
    let calls: Vec<&str> = lines
        .iter()
        .flat_map(|line| mentions(code(line), class))
        .filter(|(before, after)| !before.trim_start().starts_with("class ") && after.starts_with('('))
        .map(|(_, after)| after)
        .collect();
    let [call] = calls.as_slice() else { return None };
    let given = arguments(bracketed(call)?.0);
    if given.iter().any(|one| one.starts_with('*')) {
        return None;
    }
    let by_name = given.iter().find_map(|one| {
        let (key, value) = one.split_once('=')?;
        (key.trim() == name && !value.starts_with('=')).then_some(value)
    });
    let by_place = given.get(place).copied().filter(|one| !one.contains('='));
    number_of_call(by_name.or(by_place).or(default)?, lines)
}

/// An argument: a number, or a constant of the file.
fn number_of_call(value: &str, lines: &[String]) -> Option<u64> {
    let value = value.trim();
    literal(value).or_else(|| if value.contains('.') { None } else { resolve(value, lines, 1) })
}

/// What commas part, outside of brackets.
fn arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut found) = (0_i32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    found.push(text[begin..].trim());
    found.retain(|one| !one.is_empty());
    found
}

/// `10_000`, `5 * 1000`, `2 ** 12`, `1 << 16`, `int(1e5)`, `1e5`.
fn literal(expression: &str) -> Option<u64> {
    let expression = expression.trim();
    if let Some(inside) =
        expression.strip_prefix("int").and_then(bracketed).filter(|(_, rest)| rest.is_empty())
    {
        return literal(inside.0);
    }
    let two = |sign: &str| {
        let (left, right) = expression.split_once(sign)?;
        Some((literal(left)?, literal(right)?))
    };
    if let Some((base, power)) = two("**") {
        return base.checked_pow(u32::try_from(power).ok()?);
    }
    if let Some((value, bits)) = two("<<") {
        return value.checked_shl(u32::try_from(bits).ok()?);
    }
    if let Some((left, right)) = two("*") {
        return left.checked_mul(right);
    }
    let digits = expression.replace('_', "");
    if digits.is_empty() || !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let whole = |value: f64| (value.fract() == 0.0 && value < 1e15).then_some(value as u64);
    digits.parse().ok().or_else(|| digits.parse::<f64>().ok().and_then(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(expression: &str, source: &str) -> Option<u64> {
        let lines: Vec<String> = source.lines().map(str::to_owned).collect();
        number(expression, &lines)
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
