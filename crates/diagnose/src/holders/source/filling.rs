//! Statements that put something into a container.
//!
//! In: a node and the frame that it stands in. Out: the container that it adds to. What must not happen here: an element that is exchanged
//! taken for one more.

use super::code::{Code, Node};
use super::frame::Frame;
use super::path::Path;

/// Methods that add an element or a piece.
const ADDS: [&str; 13] = [
    "append",
    "appendleft",
    "extend",
    "add",
    "insert",
    "update",
    "setdefault",
    "push",
    "put",
    "put_nowait",
    "write",
    "writelines",
    "frombytes",
];
/// Functions that add to the list, or write to the file, that is their first argument.
const ADDERS: [&str; 8] =
    ["heappush", "insort", "insort_left", "insort_right", "save", "savez", "savez_compressed", "savefig"];
/// Functions that make one of two.
const JOINS: [&str; 7] = ["concat", "concatenate", "append", "stack", "vstack", "union", "merge"];

/// The container that a node adds to. A place of a list that is written to makes it no longer.
pub(crate) fn filled(frame: &Frame, node: Node, is_list: bool) -> Option<Path> {
    let code = frame.code;
    match code.kind(node) {
        "call" => {
            let function = code.field(node, "function")?;
            let name = last_name(code, function);
            let arguments = code.field(node, "arguments")?;
            if code.kind(function) == "attribute" && ADDS.contains(&name) {
                return frame.path(code.field(function, "object")?);
            }
            let place = usize::from(!ADDERS.contains(&name));
            if place == 0 || name == "dump" {
                return frame.path(code.children(arguments).nth(place)?);
            }
            let file = code.children(arguments).find(|one| code.name(*one) == "file")?;
            frame.path(code.field(file, "value")?)
        }
        "augmented_assignment" => {
            let adds =
                code.field(node, "operator").is_some_and(|sign| ["+=", "|="].contains(&code.text(sign)));
            frame.path(code.field(node, "left").filter(|_| adds)?)
        }
        "assignment" => {
            let (left, right) = (code.field(node, "left")?, code.field(node, "right")?);
            if code.kind(left) == "subscript" {
                return if is_list { None } else { frame.path(code.field(left, "value")?) };
            }
            let path = frame.path(left)?;
            let joins = match code.kind(right) {
                "binary_operator" => true,
                "call" => JOINS.contains(&last_name(code, code.field(right, "function")?)),
                _ => false,
            };
            (joins && refers(frame, right, &path)).then_some(path)
        }
        _ => None,
    }
}

/// `heappush` of `heapq.heappush`.
pub(super) fn last_name(code: &Code, function: Node) -> &str {
    code.text(code.field(function, "attribute").unwrap_or(function))
}

/// Whether something in an expression is the container.
pub(super) fn refers(frame: &Frame, expression: Node, path: &Path) -> bool {
    let code = frame.code;
    let is_it = |node: Node| {
        code.is(node, &["identifier", "attribute", "subscript"])
            && frame.path(node).is_some_and(|found| found.is(path, code))
    };
    is_it(expression) || code.below(expression).any(is_it)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// What the last line of this code adds to.
    fn adds_to(line: &str, is_list: bool) -> bool {
        let code = Code::of(&[line.to_owned()]).unwrap();
        let frame = Frame::of(&code, None);
        code.all()
            .any(|node| filled(&frame, node, is_list).is_some_and(|path| path.named() == ("saved", &[])))
    }

    #[test]
    fn a_place_of_a_list_that_is_written_to_makes_it_no_longer() {
        assert!(adds_to("this.saved.append(None)", true));
        assert!(!adds_to("this.saved[this.place] = x", true));
        assert!(adds_to("this.saved[this.place] = x", false));
        assert!(!adds_to("this.saved[0].append(x)", true));
    }

    #[test]
    fn ways_to_add() {
        for line in [
            "saved.extend(x)",
            "saved += [x]",
            "saved |= {x}",
            "saved = np.concatenate([saved, preds])",
            "this.saved = this.saved + [x]",
            "heapq.heappush(this.saved, (score, weights))",
            "bisect.insort(this.best.saved, x)",
            "print(epoch, loss, file=this.saved)",
            "np.save(this.saved, weights)",
            "pickle.dump(history.history, this.saved)",
        ] {
            assert!(adds_to(line, true), "{line}");
        }
        for line in [
            "saved = []",
            "unsaved.append(x)",
            "print(saved[0])",
            "# saved.append(x)",
            "saved = saved[-10:]",
            "saved = np.concatenate(parts)",
            "heapq.heappushpop(saved, x)",
            "print(saved, file=log)",
            "np.save(path, saved)",
            "pickle.dump(saved, file)",
            "saved -= x",
        ] {
            assert!(!adds_to(line, true), "{line}");
        }
    }
}
