"""A traced function is called with another Python number each time: it gets a tensor.

What: `step(x, epoch)` becomes `step(x, tf.constant(np.int32(epoch)))`.
How: the report names the function, the argument that differed and the line that calls it; the argument is
found there by its name, or by its place in the function's definition.
Refuses: a call that is not to be found on that line, or that has its arguments from a list. Which type of
number the function can take, only a run can tell: the usual one is proposed first.
"""

from __future__ import annotations

import ast
import re

from nilometer.fixes._case import Case, Proposal
from nilometer.fixes._source import Edit, Refused, Source
from nilometer.frameworks.tensorflow.fixes import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "tensor-argument"
_WHY = re.compile(r"argument '(\w+)' was .*\(a Python (int|float)\)$")
# The type that TensorFlow takes by itself first. NumPy's, as of Python's TensorFlow keeps every number that
# it has made a tensor of.
_TYPES = {"int": ["int32", "float32", "int64"], "float": ["float32", "float64"]}


def propose(case: Case) -> list[Proposal]:
    """One way for each type of number."""
    if case.cause != "retraced-by-scalars":
        return []
    name, kind, function = _told(case)
    source = case.project.source(function["caller_file"])
    if source is None:
        raise Refused(words.no_caller(function["function"]))
    short = function["function"].rpartition(".")[2]
    argument = _argument(case, source, function, short, name)
    if isinstance(argument, ast.Constant):
        raise Refused(words.constant(source.place(argument), short))
    tf, edits = _module(source, "tensorflow", "tf")
    np, more = _module(source, "numpy", "np")
    shown = source.words(argument)
    made = []
    for type_ in _TYPES[kind]:
        begin = f"{tf}.constant({np}.{type_}("
        wrapped = source.wrap(argument, begin, "))")
        sentence = words.gets(short, f"{begin}{shown}))", kind)
        made.append(Proposal(NAME, sentence, [(source, edit) for edit in [*edits, *more, *wrapped]]))
    return made


def _told(case: Case) -> tuple[str, str, dict[str, Any]]:
    sites = {(site["file"], site["line"]) for site in case.finding["sites"]}
    told = [(_WHY.match(one["why"]), one) for one in case.report["retraced"]]
    found = [(match, one) for match, one in told if match]
    near = [one for one in found if (one[1]["caller_file"], one[1]["caller_line"]) in sites]
    for match, one in near or found:
        return match[1], match[2], one
    raise Refused(words.NO_ARGUMENT)


def _argument(case: Case, source: Source, function: dict[str, Any], short: str, name: str) -> ast.expr:
    calls = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and node.lineno <= function["caller_line"] <= (node.end_lineno or 0)
        and _called(node) == short
    ]
    if len(calls) != 1:
        raise Refused(words.no_call(f"{source.shown}:{function['caller_line']}", short))
    (call,) = calls
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    names = _parameters(case, function, short)
    if isinstance(call.func, ast.Attribute) and names[:1] in (["self"], ["cls"]):
        names = names[1:]
    place = names.index(name) if name in names else len(call.args)
    if place >= len(call.args) or any(isinstance(one, ast.Starred) for one in call.args[: place + 1]):
        raise Refused(words.no_place(source.place(call), name))
    return call.args[place]


def _called(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _parameters(case: Case, function: dict[str, Any], short: str) -> list[str]:
    home = case.project.source(function["file"])
    for node in ast.walk(home.tree) if home else ():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == short:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first <= function["line"] <= (node.end_lineno or 0):
                return [arg.arg for arg in [*node.args.posonlyargs, *node.args.args]]
    raise Refused(words.no_definition(short))


def _module(source: Source, module: str, usual: str) -> tuple[str, list[Edit]]:
    """What a module is called in this file, and the import if it has to be made."""
    imports = [node for node in source.tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    for node in imports:
        for alias in node.names if isinstance(node, ast.Import) else ():
            if alias.name == module:
                return alias.asname or module, []
    if any(isinstance(node, ast.Name) and node.id == usual for node in ast.walk(source.tree)) or not imports:
        raise Refused(words.not_imported(source.shown, module))
    return usual, [source.after(imports[-1], [f"import {module} as {usual}"])]
