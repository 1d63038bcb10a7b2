"""What `nilometer guard` asks for.

In: the text of the private variable. Out: one value.
Never: a look at the environment.
"""

from __future__ import annotations

import json


class Settings:
    """The guard's options."""

    __slots__ = ("attempt", "folder", "limit", "reserve", "resume")

    def __init__(self, text: str) -> None:
        said = json.loads(text)
        # Where checkpoints lie, and the name by which the supervisor knows this attempt's.
        self.folder: str = said["folder"]
        self.attempt: str = said["attempt"]
        # Bytes; None where nothing was asked for.
        self.limit: int | None = said["limit"]
        self.reserve: int | None = said["reserve"]
        self.resume: bool = said["resume"]
