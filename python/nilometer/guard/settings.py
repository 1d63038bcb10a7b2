"""What `nilometer guard` asks for.

In: the text of the private variable. Out: one value.
Never: a look at the environment.
"""

from __future__ import annotations

import json


class Settings:
    """The guard's options."""

    __slots__ = ("attempt", "folder", "leave", "limit", "reserve", "resume")

    def __init__(self, text: str) -> None:
        said = json.loads(text)
        # Where workers of a service look whether they are asked to end; None of a training.
        self.leave: str | None = said.get("leave")
        # Where checkpoints lie, and the name by which the supervisor knows this attempt's.
        self.folder: str = said.get("folder", "")
        self.attempt: str = said.get("attempt", "")
        # Bytes; None where nothing was asked for.
        self.limit: int | None = said.get("limit")
        self.reserve: int | None = said.get("reserve")
        self.resume: bool = said.get("resume", False)
