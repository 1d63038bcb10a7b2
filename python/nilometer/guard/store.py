"""The folder of a checkpoint: complete, or not there.

In: a function that writes files into a folder. Out: `guard.json`, which names the complete checkpoint; its
reader in Rust is `crates/cli/src/guard/stop.rs`.
Never: a checkpoint that is named before all of it lies on the disk, or an older one removed before that.
"""

from __future__ import annotations

import json
import os
import shutil

from nilometer.guard import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_NAME = "guard.json"
_PREFIX = "stop-"
_FORMAT = 1


def write(folder: str, attempt: str, about: dict[str, Any], fill: Callable[[str], None]) -> int:
    """Makes a checkpoint by `fill` and names it; its size in bytes. Raises OSError where the disk is full."""
    before = read(folder)
    name = f"{_PREFIX}{attempt}"
    into = os.path.join(folder, name)
    size = _filled(into, fill)
    said = {"format": _FORMAT, "attempt": attempt, "checkpoint": name, "bytes": size, **about}
    draft = os.path.join(folder, f".{_NAME}")
    with open(draft, "w") as file:
        json.dump(said, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, os.path.join(folder, _NAME))
    _sync(folder)
    if before is not None and before["checkpoint"] != name:
        shutil.rmtree(os.path.join(folder, before["checkpoint"]), ignore_errors=True)
    return size


def trial(folder: str, attempt: str, fill: Callable[[str], None]) -> int:
    """Writes a checkpoint and removes it; its size in bytes. Raises OSError where it cannot be written."""
    was_there = os.path.isdir(folder)
    into = os.path.join(folder, f"{_PREFIX}{attempt}-trial")
    try:
        return _filled(into, fill)
    finally:
        shutil.rmtree(into, ignore_errors=True)
        if not was_there:
            os.rmdir(folder)


def read(folder: str) -> dict[str, Any] | None:
    """What `guard.json` says; None where there is no checkpoint."""
    try:
        with open(os.path.join(folder, _NAME)) as file:
            said: dict[str, Any] = json.load(file)
    except FileNotFoundError:
        return None
    if said.get("format") != _FORMAT:
        raise ValueError(words.other_version(folder))
    said["checkpoint"] = os.path.basename(said["checkpoint"])
    return said


def place(folder: str, said: dict[str, Any]) -> str:
    """The folder of that checkpoint."""
    return os.path.join(folder, said["checkpoint"])


def _filled(into: str, fill: Callable[[str], None]) -> int:
    shutil.rmtree(into, ignore_errors=True)
    os.makedirs(into)
    try:
        fill(into)
        size = 0
        for entry in os.scandir(into):
            size += entry.stat().st_size
            _sync(entry.path)
        _sync(into)
    except BaseException:
        # Half a checkpoint helps nobody, and its disk may be full.
        shutil.rmtree(into, ignore_errors=True)
        raise
    return size


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
