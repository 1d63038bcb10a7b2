"""The guard in a loop of the program's own, which no framework runs.

In: turns that the program says have ended, its state. Out: whether to stop; the state on disk, and read
again.
Never: a stop by itself: only the program knows what its state is.
"""

from __future__ import annotations

from nilometer.guard import leaving, said, store, values, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from nilometer.guard.policy import Policy


class Loop:
    """The one loop of the program that asks."""

    def __init__(self, policy: Policy, before: dict[str, Any] | None) -> None:
        self._policy = policy
        self._before = before if before is not None and before.get("kind") == "loop" else None
        self._why: str | None = None

    def should_stop(self) -> bool:
        """Whether this turn is the last one that is safe."""
        if self._why is None and self._policy.is_of_this_process():
            self._why = self._policy.epoch_ended(self._policy.reserve(0))
        return self._why is not None

    def checkpoint(self, state: dict[str, Any]) -> None:
        """Saves the state and ends the program."""
        if not values.can_hold(state):
            raise TypeError(words.HOLDS)
        settings = self._policy.settings
        stops = 1 + (self._before["stops"] if self._before is not None else 0)
        why = self._why or words.ASKED
        about = {"kind": "loop", "stops": stops, "why": why}
        store.write(settings.folder, settings.attempt, about, lambda into: values.write(into, "state", state))
        said.say(words.last_turn(why))
        leaving.leave()

    def restored(self) -> dict[str, Any] | None:
        """The state that was saved."""
        if self._before is None:
            return None
        state: dict[str, Any] = values.read(store.place(self._policy.settings.folder, self._before), "state")
        return state
