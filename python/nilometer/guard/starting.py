"""Puts the guard into a program that has just started.

In: the settings. Out: hooks that wait for frameworks, and the loop's functions; of a service
a hook in its workers.
Never: a program that trains unguarded, or from its beginning, without a word.
"""

from __future__ import annotations

import os

import nilometer.guard
from nilometer import frameworks
from nilometer.frameworks import trials
from nilometer.guard import loop, said, store, words, workers
from nilometer.guard.policy import Policy
from nilometer.guard.settings import Settings


def start(text: str) -> None:
    """Reads the settings and the checkpoint to go on from, and installs the hooks."""
    try:
        settings = Settings(text)
        if settings.leave is not None:
            workers.install(settings.leave)
            return
        before = store.read(settings.folder) if settings.resume else None
        policy = Policy(settings)
        nilometer.guard._loop = loop.Loop(policy, before)
        for file in trials.GUARDS:
            frameworks.load(file).install(policy, before)
    except Exception as error:
        said.say(words.cannot_start(error))
        os._exit(2)
