"""What TensorFlow knew of the arguments when it traced a function, as plain words and numbers.

In: the parameters of a function type. Out: for each argument and each of its parts, what it was.
Never: the arguments themselves, or a word of the program's own objects: of those only the type's name is
told, and values only of Python's own scalars.
"""

from __future__ import annotations

from nilometer.hooks.parts import GROUP, MAX_DEPTH, MAX_PARTS, NONE, OBJECT, SCALAR, SCALARS, TENSOR, text
from nilometer.hooks.parts import shape as text_of_shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from nilometer.hooks.parts import Part, Parts


def parts(parameters: Mapping[str, Any]) -> Parts:
    """Every argument and its parts, by names such as `batch[0]['image']`."""
    found: Parts = {}
    for name, parameter in parameters.items():
        _walk(str(name), parameter.type_constraint, found, 0)
    return found


def _walk(name: str, kind: Any, found: Parts, depth: int) -> None:
    if len(found) >= MAX_PARTS or depth > MAX_DEPTH:
        return
    children = _children(kind)
    if children is None:
        found[name] = _leaf(kind)
        return
    word, members = children
    keys = [key for key, _ in members]
    if word:
        found[name] = (GROUP, word, str(len(members)), " ".join(keys))
    for key, member in members:
        _walk(name + key, member, found, depth + 1)


def _children(kind: Any) -> tuple[str, list[tuple[str, Any]]] | None:
    """The kind of container and its members, by what is written behind the container's name to get them."""
    name = type(kind).__name__
    if type(kind) in (tuple, list):
        return name, _numbered(kind)
    if type(kind) is dict:
        return name, _keyed(kind)
    if not _is_frameworks(kind):
        return None
    if name == "Tuple":
        return "tuple", _numbered(kind.components)
    if name == "List":
        return "list", _numbered(kind.components_tuple.components)
    if name == "Dict":
        return "dict", _keyed(kind.mapping)
    if name == "NamedTuple":
        fields = zip(kind.attribute_names, kind.attributes.components, strict=False)
        return str(kind.type_name), [(f".{field}", member) for field, member in fields]
    if name in ("IteratorSpec", "DatasetSpec"):
        # Its elements are what the function sees.
        return "", [("", kind._element_spec)]
    return None


def _numbered(members: Iterable[Any]) -> list[tuple[str, Any]]:
    return [(f"[{index}]", member) for index, member in enumerate(members)]


def _keyed(members: Mapping[Any, Any]) -> list[tuple[str, Any]]:
    return [(f"[{text(key)}]", member) for key, member in members.items()]


def _leaf(kind: Any) -> Part:
    name = type(kind).__name__
    if kind is None:
        return (NONE,)
    if _is_frameworks(kind):
        if name == "Literal":
            return _value(kind.value)
        if name == "Weakref":
            seen = kind._ref()
            return (OBJECT, type(seen).__name__, str(id(seen)))
        if name.endswith("Spec") and hasattr(kind, "shape") and hasattr(kind, "dtype"):
            return (TENSOR, _shape(kind.shape), str(kind.dtype.name))
    return (OBJECT, name.removesuffix("Spec"), "")


def _value(value: Any) -> Part:
    if value is None:
        return (NONE,)
    if type(value) in SCALARS:
        return (SCALAR, text(value), type(value).__name__)
    return (OBJECT, type(value).__name__, str(id(value)))


def _shape(shape: Any) -> str:
    if shape.rank is None:
        return "of any rank"
    return text_of_shape(shape.as_list())


def _is_frameworks(kind: Any) -> bool:
    return str(type(kind).__module__).startswith("tensorflow.")
