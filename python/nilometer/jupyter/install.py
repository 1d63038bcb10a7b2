"""`nilometer jupyter install` and `uninstall`: a kernel that runs under `nilometer run`.

In: the words of the command line. Out: a kernel spec, or none; the exit code.
Never: a change of a kernel spec that is not ours.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from nilometer.jupyter import words

DISPLAY = "Python (Nilometer)"
_MARK = "nilometer"


def main(arguments: list[str]) -> int:
    """Runs the command; `arguments` are those after `nilometer jupyter`."""
    parser = _parser()
    wanted = parser.parse_args(arguments)
    try:
        from jupyter_client.kernelspec import KernelSpecManager  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return _refuse(words.no_jupyter(sys.executable), words.INSTALL_JUPYTER)
    manager = KernelSpecManager()
    if wanted.action == "install":
        return _install(manager, wanted)
    return _uninstall(manager, wanted)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nilometer jupyter", description=words.COMMAND)
    actions = parser.add_subparsers(dest="action", required=True)
    for action, what in (("install", words.INSTALL), ("uninstall", words.UNINSTALL)):
        one = actions.add_parser(action, help=what, description=what)
        where = one.add_mutually_exclusive_group()
        where.add_argument("--user", action="store_true", help=words.FOR_USER)
        where.add_argument("--sys-prefix", action="store_true", help=words.for_environment(sys.prefix))
        where.add_argument("--prefix", help=words.BELOW_FOLDER)
        one.add_argument("--name", default="nilometer", help=words.ITS_NAME)
    return parser


def spec() -> dict[str, Any]:
    """The kernel spec: this Python, under the recorder, with the extension loaded."""
    capture = os.path.join(tempfile.gettempdir(), "nilometer-notebook.{pid}.nilo")
    run = [sys.executable, "-m", "nilometer", "run", "-q", "-f", "--no-live", "-o", capture]
    kernel = ["-m", "ipykernel_launcher", "-f", "{connection_file}", "--ext=nilometer"]
    return {
        "argv": [*run, *kernel],
        "display_name": DISPLAY,
        "language": "python",
        "metadata": {"debugger": True, _MARK: True},
    }


def _prefix(wanted: argparse.Namespace) -> str | None:
    return sys.prefix if wanted.sys_prefix else wanted.prefix


def _install(manager: Any, wanted: argparse.Namespace) -> int:
    prefix = _prefix(wanted)
    there = _folder(manager, wanted)
    if there is not None and not _is_ours(there):
        return _refuse(words.another_kernel(there), words.INSTALL_OTHER_NAME)
    folder = Path(tempfile.mkdtemp())
    try:
        (folder / "kernel.json").write_text(json.dumps(spec(), indent=1) + "\n", encoding="utf-8")
        made = manager.install_kernel_spec(
            str(folder), kernel_name=wanted.name, user=prefix is None, prefix=prefix
        )
    except (OSError, ValueError) as error:
        return _refuse(words.not_installed(error), words.INSTALL_BELOW)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{DISPLAY}: {made}")
    return 0


def _uninstall(manager: Any, wanted: argparse.Namespace) -> int:
    there = _folder(manager, wanted)
    if there is None:
        return _refuse(words.no_kernel(wanted.name), words.LIST_KERNELS)
    if not _is_ours(there):
        return _refuse(words.another_kernel(there), words.REMOVE_KERNEL)
    shutil.rmtree(there)
    print(words.removed(there))
    return 0


def _folder(manager: Any, wanted: argparse.Namespace) -> Path | None:
    """Where the kernel of this name lies, as the options say."""
    prefix = _prefix(wanted)
    home = Path(manager.user_kernel_dir) if prefix is None else Path(prefix, "share", "jupyter", "kernels")
    folder = home / wanted.name.lower()
    return folder if folder.is_dir() else None


def _is_ours(folder: Path) -> bool:
    try:
        found = json.loads((folder / "kernel.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return bool(found.get("metadata", {}).get(_MARK))


def _refuse(what: str, hint: str) -> int:
    print(f"nilometer: {what}\nhint: {hint}", file=sys.stderr)
    return 2
