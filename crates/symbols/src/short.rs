//! Names as people read them.
//!
//! In: a demangled name, or any text. Out: its path, `["tensorflow", "data", "MemoryDatasetOp", …]`, without
//! return type, parameters, template arguments, ABI tags and unnamed namespaces. Also that path, cut in its
//! middle to a width.

use crate::name_cursor::Cursor;

/// Characters of a short name; a longer one loses its middle.
const MAX_SHORT_CHARS: usize = 60;
/// Characters of a single long name.
const MAX_NAME_CHARS: usize = 80;
/// Qualifiers that belong to the function behind its parameter list.
const QUALIFIERS: [&str; 6] = [" const", " volatile", " &&", " &", " noexcept", " [clone "];

/// The short form of a name with this path.
pub(crate) fn short(name: &str, path: &[String]) -> String {
    let Some(last) = path.last() else { return cut(name) };
    let whole = path.join("::");
    if whole.chars().count() <= MAX_SHORT_CHARS {
        return whole;
    }
    // From the most informative form to the shortest: number of names at the head and at the tail.
    for (head, tail) in [(2, 2), (1, 2), (2, 1), (1, 1), (0, 1)] {
        if path.len() <= head + tail {
            continue;
        }
        let (from, to) =
            (path.get(..head).unwrap_or_default(), path.get(path.len() - tail..).unwrap_or_default());
        let mut parts: Vec<&str> = from.iter().map(String::as_str).collect();
        parts.push("…");
        parts.extend(to.iter().map(String::as_str));
        let form = parts.join("::");
        if form.chars().count() <= MAX_SHORT_CHARS {
            return form;
        }
    }
    cut(last)
}

/// The names that lead to a function, outermost first.
pub(crate) fn path(name: &str) -> Vec<String> {
    let mut at = Cursor::new(name);
    let mut path: Vec<String> = Vec::new();
    let mut current = String::new();
    let mut parameters_seen = false;
    while let Some(next) = at.peek() {
        if current.is_empty()
            && let Some(operator) = at.operator()
        {
            current = operator;
            continue;
        }
        match next {
            '<' if current.is_empty() => current = qualified_self(at.group()),
            '<' | '[' => drop(at.group()),
            '(' if at.rest().starts_with("(anonymous namespace)") => drop(at.group()),
            '(' => {
                at.group();
                parameters_seen = true;
            }
            '{' => current.push_str(unnamed(at.group())),
            '\'' if at.rest().starts_with("'lambda") => {
                at.skip(1);
                current.push_str("lambda");
                while at.peek().is_some_and(|next| next != '\'') {
                    at.skip(1);
                }
                at.skip(1);
            }
            ':' if at.rest().starts_with("::") => {
                at.skip(2);
                path.push(std::mem::take(&mut current));
                parameters_seen = false;
            }
            // `operator<< <char>`
            ' ' if at.rest().starts_with(" <") && !current.is_empty() => at.skip(1),
            ' ' => {
                let qualifier = QUALIFIERS.iter().find(|qualifier| at.rest().starts_with(**qualifier));
                if let (true, Some(qualifier)) = (parameters_seen, qualifier) {
                    // The bracket of `[clone .cold]` is a group of its own.
                    at.skip(qualifier.trim_end_matches("[clone ").len());
                } else {
                    // The text so far was the return type, or `vtable for`.
                    at.skip(1);
                    path.clear();
                    current.clear();
                    parameters_seen = false;
                }
            }
            // Suffixes of clones: `.cold`, `.constprop.0`, `.llvm.123`.
            '.' if !current.is_empty() || parameters_seen => break,
            '*' | '&' | '…' => at.skip(1),
            other => {
                current.push(other);
                at.skip(other.len_utf8());
            }
        }
    }
    path.push(current);
    path.retain(|part| !part.is_empty() && !is_version(part));
    if path.len() > 1 && path.last().is_some_and(|last| last == "operator()") {
        let before = path.get(path.len() - 2).map(String::as_str);
        if before == Some("lambda") {
            path.pop();
        }
    }
    path
}

/// Rust's `<Type as Trait>`: a reader looks for the type.
fn qualified_self(group: &str) -> String {
    let inner = group.strip_prefix('<').unwrap_or(group);
    let inner = inner.strip_suffix('>').unwrap_or(inner);
    let kind = inner.split(" as ").next().unwrap_or(inner);
    let kind = kind.trim_start_matches(['&', '*']).trim_start_matches("mut ").trim_start_matches("const ");
    if kind.starts_with('<') {
        return String::new(); // nested: nothing short can be said
    }
    path(kind).pop().unwrap_or_default()
}

fn unnamed(group: &str) -> &'static str {
    if group.starts_with("{lambda") {
        "lambda"
    } else if group.starts_with("{{closure") || group.starts_with("{closure") {
        "closure"
    } else if group.starts_with("{unnamed") {
        "unnamed"
    } else {
        "" // Rust's `{impl#0}` and shims
    }
}

/// Inline namespaces that only encode a library's version.
fn is_version(part: &str) -> bool {
    matches!(part, "__cxx11" | "__1" | "_V2") || part.starts_with("lts_")
}

fn cut(name: &str) -> String {
    if name.chars().count() <= MAX_NAME_CHARS {
        return name.to_owned();
    }
    name.chars().take(MAX_NAME_CHARS - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> String {
        short(name, &path(name))
    }

    #[test]
    fn the_middle_of_a_long_name_is_left_out() {
        let name = "tensorflow::data::(anonymous namespace)::MemoryDatasetOp::Dataset::MemoryIterator::GetNextInternal(\
                    tensorflow::data::IteratorContext*, std::vector<tensorflow::Tensor, std::allocator<tensorflow::Tensor> \
                    >*, bool*)";
        assert_eq!(of(name), "tensorflow::data::…::MemoryIterator::GetNextInternal");
    }

    #[test]
    fn what_the_compiler_added_is_dropped() {
        for (name, expected) in [
            ("malloc", "malloc"),
            ("sre_ucs1_match.constprop.0", "sre_ucs1_match"),
            ("void tensorflow::functor::Fill<int, (char)60>(int)", "tensorflow::functor::Fill"),
            ("tensorflow::BundleReader::DebugString[abi:cxx11]()", "tensorflow::BundleReader::DebugString"),
            ("a::b(int) const [clone .cold]", "a::b"),
            ("a::b(int) [clone .isra.0] [clone .cold]", "a::b"),
            (
                "std::__cxx11::basic_string<char>::_M_create(unsigned long&, unsigned long)",
                "std::basic_string::_M_create",
            ),
            ("absl::lts_20250814::Status::Status(int)", "absl::Status::Status"),
            ("non-virtual thunk to grpc::Server::Start(int)", "grpc::Server::Start"),
            ("std::enable_if<!(a<b>::c), int>::type tsl::Run<f>(int&&)", "tsl::Run"),
            ("std::vector<int>* a::b(std::vector<int>*)", "a::b"),
        ] {
            assert_eq!(of(name), expected, "{name}");
        }
    }

    #[test]
    fn operators_are_names_and_not_brackets() {
        for (name, expected) in [
            ("operator new(unsigned long)", "operator new"),
            ("operator delete[](void*)", "operator delete[]"),
            ("a::Less::operator<(a::Less const&) const", "a::Less::operator<"),
            ("a::operator<< <char>(std::ostream&, char)", "a::operator<<"),
            ("a::X::operator()(int) const", "a::X::operator()"),
            ("a::X::operator->() const", "a::X::operator->"),
            ("a::X::operator std::string() const", "a::X::operator std::string"),
            ("f(g<&a::X::operator< >)", "f"),
            ("operators::run(int)", "operators::run"),
        ] {
            assert_eq!(of(name), expected, "{name}");
        }
    }

    #[test]
    fn functions_without_a_name_get_a_word() {
        for (name, expected) in [
            ("a::Run(int)::{lambda(long, long)#1}::operator()(long, long) const", "a::Run::lambda"),
            ("a::b() const::{lambda()#2}::_FUN()", "a::b::lambda::_FUN"),
            ("a::{unnamed type#1}::f()", "a::unnamed::f"),
            (
                "core::ops::function::FnOnce::call_once{{vtable.shim}}",
                "core::ops::function::FnOnce::call_once",
            ),
            ("app::main::{{closure}}", "app::main::closure"),
            ("<alloc::vec::Vec<T> as core::clone::Clone>::clone", "Vec::clone"),
            ("<&mut W as core::fmt::Write>::write_str", "W::write_str"),
            (
                "std::_Function_handler<void (), a::b()::{lambda()#1}>::_M_invoke(std::_Any_data const&)",
                "std::_Function_handler::_M_invoke",
            ),
        ] {
            assert_eq!(of(name), expected, "{name}");
        }
    }

    #[test]
    fn broken_names_do_no_harm() {
        for name in [
            "",
            "<",
            "(((",
            "a<b",
            "a)b>",
            "operator",
            "operator ",
            "::",
            "a::",
            "{",
            "…",
            "'lambda",
            "a b c ",
            ".x",
        ] {
            let _ = of(name);
        }
        assert_eq!(of(&"x".repeat(500)).chars().count(), MAX_NAME_CHARS);
    }
}
