//! Functions and classes of a file: which one a statement belongs to, what they are called, who calls them.
//!
//! In: a tree. Out: nodes of it. What must not happen here: one of two functions of the same name taken for the other.

use super::code::{Code, Node};

/// Names of Python's own containers' methods: a call of one on something else than `self` is that.
const OF_CONTAINERS: [&str; 22] = [
    "add",
    "append",
    "appendleft",
    "clear",
    "copy",
    "discard",
    "extend",
    "get",
    "insert",
    "items",
    "keys",
    "pop",
    "popitem",
    "popleft",
    "push",
    "put",
    "remove",
    "setdefault",
    "sort",
    "update",
    "values",
    "write",
];

impl Code {
    /// The class that a node lies in, by a method of it too.
    pub(crate) fn class(&self, node: Node) -> Option<Node> {
        self.above(node).find(|above| self.kind(*above) == "class_definition")
    }

    /// What a function, class or call's argument is called.
    pub(crate) fn name(&self, node: Node) -> &str {
        self.field(node, "name").map_or("", |name| self.text(name))
    }

    /// The one class of this name.
    pub(crate) fn class_named(&self, name: &str) -> Option<Node> {
        only(self.classes_named(name))
    }

    /// A class and those of the file that it is derived from.
    pub(crate) fn family(&self, class: Node) -> Vec<Node> {
        let mut family = vec![class];
        let mut next = 0;
        while let Some(one) = family.get(next).copied() {
            next += 1;
            let parents = self.field(one, "superclasses").into_iter().flat_map(|list| self.children(list));
            let known = parents.filter_map(|parent| self.class_named(self.text(parent)));
            let new: Vec<Node> = known.filter(|parent| !family.contains(parent)).collect();
            family.extend(new);
        }
        family
    }

    /// Whether one of two classes is derived from the other, or they are one.
    pub(crate) fn is_akin(&self, one: Node, other: Node) -> bool {
        one == other || self.family(one).contains(&other) || self.family(other).contains(&one)
    }

    /// The function as a statement of its class or of the file: with its decorators.
    fn decorators(&self, function: Node) -> Vec<&str> {
        let around = self.parent(function).filter(|around| self.kind(*around) == "decorated_definition");
        let all = around.into_iter().flat_map(|around| self.children(around));
        all.filter(|node| self.kind(*node) == "decorator")
            .map(|node| self.text(node).trim_start_matches('@').trim())
            .collect()
    }

    /// Whether its first parameter is the object.
    pub(crate) fn is_method(&self, function: Node) -> bool {
        let outer = self.above(function).find(|above| !self.is(*above, &["decorated_definition", "block"]));
        outer.is_some_and(|outer| self.kind(outer) == "class_definition")
            && !self.decorators(function).contains(&"staticmethod")
    }

    pub(crate) fn is_property(&self, function: Node) -> bool {
        self.decorators(function).iter().any(|name| name.ends_with("property"))
    }

    /// Its parameters by name, with their defaults. Those with stars have none.
    pub(crate) fn parameters(&self, function: Node) -> Vec<(&str, Option<Node>)> {
        let list = self.field(function, "parameters");
        let each = |node: Node| {
            let name = match self.kind(node) {
                "identifier" => Some(node),
                "typed_parameter" => self.children(node).next(),
                _ => self.field(node, "name"),
            };
            name.filter(|name| self.kind(*name) == "identifier")
                .map(|name| (self.text(name), self.field(node, "value")))
        };
        list.into_iter().flat_map(|list| self.children(list)).filter_map(each).collect()
    }

    /// The function of this file that a call calls.
    pub(crate) fn called(&self, call: Node) -> Option<Node> {
        self.meant(self.field(call, "function")?)
    }

    /// The function of this file that `trim`, `self.trim` or `buffer.full` means.
    pub(crate) fn meant(&self, expression: Node) -> Option<Node> {
        match self.kind(expression) {
            "identifier" => {
                let name = self.text(expression);
                only(self.functions_named(name)).filter(|function| !self.is_method(*function))
            }
            "attribute" => {
                let name = self.text(self.field(expression, "attribute")?);
                let of = self.text(self.field(expression, "object")?);
                let methods = || self.functions_named(name);
                if ["self", "cls", "super()"].contains(&of) {
                    let class = self.class(expression)?;
                    let is_super = of == "super()";
                    // The object may be of a class that does it otherwise.
                    let owner =
                        self.owner().filter(|owner| !is_super && self.family(*owner).contains(&class));
                    let family = self.family(owner.unwrap_or(class));
                    let own = |class: &Node| methods().find(|method| self.class(*method) == Some(*class));
                    return family.iter().skip(usize::from(is_super)).find_map(own);
                }
                if OF_CONTAINERS.contains(&name) { None } else { only(methods()) }
            }
            _ => None,
        }
    }

    /// Whether the file says this name elsewhere than in this function: calls it, or hands it on.
    pub(crate) fn mentions(&self, name: &str, but: Option<Node>) -> bool {
        self.identifiers(name).any(|node| {
            !self.parent(node).is_some_and(|parent| {
                self.kind(parent) == "function_definition" && self.field(parent, "name") == Some(node)
            }) && !but.is_some_and(|function| self.contains(function, node))
        })
    }

    /// The block, or file, that a statement stands in directly.
    pub(crate) fn block(&self, node: Node) -> Option<Node> {
        self.above(node).find(|above| self.is(*above, &["block", "module"]))
    }

    /// The loop of its function that a node is in.
    pub(crate) fn in_loop(&self, node: Node) -> Option<Node> {
        self.above(node)
            .take_while(|above| self.kind(*above) != "function_definition")
            .find(|above| self.is(*above, &["for_statement", "while_statement"]))
    }
}

fn only(mut all: impl Iterator<Item = Node>) -> Option<Node> {
    let first = all.next();
    first.filter(|_| all.next().is_none())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn code(text: &str) -> Code {
        Code::of(&text.lines().map(str::to_owned).collect::<Vec<_>>()).unwrap()
    }

    fn called(text: &str, call: &str) -> Option<String> {
        let code = code(text);
        let call = code.all().find(|node| code.kind(*node) == "call" && code.text(*node) == call).unwrap();
        let function = code.called(call)?;
        let class = code.class(function).map_or("", |class| code.name(class));
        Some(format!("{class}.{}", code.name(function)))
    }

    #[test]
    fn calls_lead_to_functions() {
        const TWO_CLASSES: &str = "class A:\n    def f(self):\n        pass\n    def clear(self):\n        self.f()\n        self.x.clear()\nclass \
                           B(A):\n    def f(self):\n        super().f()\n";
        assert_eq!(called(TWO_CLASSES, "self.f()").as_deref(), Some("A.f"));
        assert_eq!(called(TWO_CLASSES, "super().f()").as_deref(), Some("A.f"));
        assert_eq!(called(TWO_CLASSES, "self.x.clear()"), None);
        assert_eq!(
            called("def trim(d, /, most=3, *, x: int = 4): pass\ntrim(y)", "trim(y)").as_deref(),
            Some(".trim")
        );
        assert_eq!(called("def f(): pass\ndef f(a): pass\nf(y)", "f(y)"), None);
    }

    #[test]
    fn parameters_with_their_defaults() {
        let code = code("def trim(d, /, most=3, *rest, x: int = 4, y: str, **more): pass");
        let function = code.functions().next().unwrap();
        let found: Vec<(&str, Option<&str>)> = code
            .parameters(function)
            .into_iter()
            .map(|(name, value)| (name, value.map(|v| code.text(v))))
            .collect();
        assert_eq!(found, [("d", None), ("most", Some("3")), ("x", Some("4")), ("y", None)]);
    }
}
