"""Lets a worker of a service end without a task or a request that is lost, when the supervisor asks for it.

In: a folder, in which a file with the number of a process says that it was asked. Out: hooks in
the workers of each framework that has some, and whether this one was asked.
Never: anything else than usual in a worker that was not asked.
"""

from __future__ import annotations

import os

from nilometer import frameworks
from nilometer.frameworks import trials

_folder = ""


def install(folder: str) -> None:
    """Follows workers of services from now on."""
    global _folder
    _folder = folder
    for file in trials.WORKERS:
        frameworks.load(file).install()


def is_asked() -> bool:
    """Whether this process was asked to end."""
    return os.path.exists(os.path.join(_folder, str(os.getpid())))
