"""The command line: `nilometer ...` and `python -m nilometer ...`.

In: this process's arguments. Out: the exit code of the command. All work but
`nilometer jupyter`'s is done by the native module.
Never: an import that the start-up time of `nilometer run` would feel.
"""

from __future__ import annotations

import os
import sys

# Interpreter options whose value may stand in the next argument.
_WITH_VALUE = "WX"


def interpreter_flags(original: list[str], arguments: list[str], as_module: bool) -> list[str]:
    """The options the interpreter itself was given, to be given again to the program's interpreter.

    `original` is `sys.orig_argv`, `arguments` is `sys.argv`; `as_module` says that it was `python -m
    nilometer`.
    """
    head = original[1 : len(original) - (len(arguments) - 1)]
    if not as_module:
        return head[:-1]
    flags: list[str] = []
    values = iter(head)
    for flag in values:
        if flag.startswith("--"):
            flags.append(flag)
            if flag == "--check-hash-based-pycs":
                flags.extend(value for value in [next(values, None)] if value is not None)
            continue
        for position, letter in enumerate(flag[1:], start=1):
            if letter in _WITH_VALUE:
                flags.append(flag)
                if position == len(flag) - 1:
                    flags.extend(value for value in [next(values, None)] if value is not None)
                break
            if letter == "m":
                # `-m nilometer`, `-mnilometer` or `-Bm nilometer`: what stands before the m is ours to keep.
                if position > 1:
                    flags.append(flag[:position])
                return flags
        else:
            flags.append(flag)
    return flags


def main() -> int:
    """Runs the command line of this process and returns its exit code."""
    if sys.argv[1:2] == ["jupyter"]:
        from nilometer.jupyter import install

        return install.main(sys.argv[2:])
    from nilometer import _native

    as_module = getattr(sys.modules["__main__"], "__spec__", None) is not None
    flags = interpreter_flags(sys.orig_argv, sys.argv, as_module)
    # Where the boot lies that the program's interpreter is to run; taken out again before the program starts.
    os.environ["_NILOMETER_PACKAGE"] = os.path.dirname(os.path.abspath(__file__))
    try:
        return _native.cli(sys.argv[1:], sys.executable, flags)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
