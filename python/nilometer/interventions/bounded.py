"""One container of the program's keeps its length: what is added to it pushes the oldest out.

What: a list, dictionary, set or cache, by its name as `Keeps.saved`, `__main__.LOSSES` or
`train():losses`, stays as long as it was in the first cycle.
How: at the end of each cycle its oldest elements are taken out, in place.
Proves: this container keeps the memory. What the program wanted with the old elements it does not get.
"""

from __future__ import annotations

from nilometer import frameworks
from nilometer.frameworks import trials
from nilometer.interventions import _containers, acted
from nilometer.interventions._cycles import before_cycle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def install(path: str) -> None:
    """Bounds the container of this name, in every instance if it is an attribute."""
    lengths: dict[int, int] = {}
    found: list[Any] = []

    # The search is dear, so cycles that are fast do not wait for it; what it found is bounded in each.
    def search() -> None:
        found[:] = [container for name, container in _containers.walk() if name == path]

    def trim() -> None:
        for container in found:
            if _trim(container, lengths):
                acted(f"bounded:{path}")

    for file in trials.ROOTS:
        frameworks.load(file).install()
    before_cycle(search)
    before_cycle(trim)


def _trim(container: Any, lengths: dict[int, int]) -> bool:
    if type(container).__name__ == "_lru_cache_wrapper":
        container.cache_clear()
        return True
    trimmed = False
    for one in [container, *_containers.inner(container)]:
        keep = lengths.setdefault(id(one), max(len(one), 1))
        if len(one) > keep:
            trimmed = True
            _take_oldest(one, len(one) - keep)
    return trimmed


def _take_oldest(container: Any, count: int) -> None:
    if isinstance(container, list):
        del container[:count]
        return
    for _ in range(count):
        if isinstance(container, dict):
            del container[next(iter(container))]
        elif isinstance(container, set):
            container.pop()
        else:
            container.popleft()
