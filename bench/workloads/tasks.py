"""Tasks for `bench/killed.py` and `bench/replaced.py`; each says to Redis that it has ended, as its last act.

`BROKER_PORT` is the port of Redis; `KEEP_BYTES` says how much each `small` keeps.
"""

from __future__ import annotations

import os
from typing import Any

import redis
from celery import Celery

PORT = int(os.environ.get("BROKER_PORT", "6379"))
KEEP_BYTES = int(os.environ.get("KEEP_BYTES", "0"))
app = Celery("tasks", broker=f"redis://127.0.0.1:{PORT}/0")
app.conf.task_ignore_result = True
kept: list[bytes] = []
_clients: dict[int, redis.Redis] = {}


def broker() -> redis.Redis:
    """A connection of this process."""
    return _clients.setdefault(os.getpid(), redis.Redis(port=PORT))


def ended(what: str) -> dict[str, int]:
    """How many have ended of each task, or by each `process`."""
    counted: Any = broker().hgetall(what)
    return {name.decode(): int(number) for name, number in counted.items()}


def _end(task: str) -> None:
    with broker().pipeline(transaction=True) as both:
        both.hincrby("task", task, 1)
        both.hincrby("process", str(os.getpid()), 1)
        both.execute()


@app.task(name="tasks.small")
def small() -> None:
    if KEEP_BYTES:
        kept.append(os.urandom(KEEP_BYTES))
    _end("small")


@app.task(name="tasks.large")
def large() -> None:
    sum(n * n for n in range(20_000))
    _end("large")
