"""Web applications of three endpoints, of which one may keep memory, for `bench/killed.py` and `replaced.py`.

`KEEP_BYTES` in the environment says how much each request of `/a` keeps. Each answer is the number of the
process and `whole`.
"""

from __future__ import annotations

import os
from typing import Any

KEEP_BYTES = int(os.environ.get("KEEP_BYTES", "0"))
kept: list[bytes] = []


def answer() -> str:
    return f"{os.getpid()} whole"


def _work() -> str:
    if KEEP_BYTES:
        kept.append(os.urandom(KEEP_BYTES))
    return answer()


def _flask() -> Any:
    from flask import Flask

    app = Flask("routes")
    app.add_url_rule("/a", "a", _work)
    app.add_url_rule("/b/<int:number>", "b", lambda number: answer())
    app.add_url_rule("/c", "c", answer, methods=["POST"])
    return app


def _fastapi() -> Any:
    from fastapi import FastAPI
    from fastapi.responses import PlainTextResponse

    app = FastAPI(default_response_class=PlainTextResponse)

    @app.get("/a")
    async def a() -> str:
        return _work()

    @app.get("/b/{number}")
    async def b(number: int) -> str:
        return answer()

    @app.post("/c")
    async def c() -> str:
        return answer()

    return app


def __getattr__(name: str) -> Any:
    make = {"flask_app": _flask, "fastapi_app": _fastapi}.get(name)
    if make is None:
        raise AttributeError(name)
    return make()
