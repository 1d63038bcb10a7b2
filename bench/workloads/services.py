"""Web applications for `bench/service.py`: a request decodes JSON, computes, and answers in JSON.

It computes with Python's objects, which is the dearest for a recorder, or like a model with arrays of NumPy.

`flask_app`, `fastapi_app` and `django_app` are made when a server asks this module for them.
"""

from __future__ import annotations

import itertools
import json
import os
from typing import Any

import numpy as np

# How much a request computes.
STEPS = 300
# As `bench/service.py --of` has it.
IS_MODEL = os.environ.get("BENCH_REQUESTS") == "arrays"
# Of a small model: rows of a batch, and its layers.
ROWS, UNITS = 32, [784, 512, 256, 10]
LAYERS = [np.ones((n, m), np.float32) for n, m in itertools.pairwise(UNITS)]


def score(given: dict[str, Any]) -> dict[str, Any]:
    """What a request computes."""
    return predicted(given) if IS_MODEL else sorted_rows(given)


def predicted(given: dict[str, Any]) -> dict[str, Any]:
    """A small model's work."""
    values = np.full((ROWS, UNITS[0]), given["weight"], np.float32)
    for layer in LAYERS:
        values = np.maximum(values @ layer, 0)
    return {"best": values.argmax(axis=1).tolist()}


def sorted_rows(given: dict[str, Any]) -> dict[str, Any]:
    """A small program's work: objects that come and go, text, and numbers."""
    rows = [{"id": n, "value": n * given["weight"], "name": f"row {n}"} for n in range(STEPS)]
    rows.sort(key=lambda row: -row["value"])
    return {"best": rows[:5], "total": sum(row["value"] for row in rows)}


def _flask() -> Any:
    from flask import Flask, jsonify, request

    app = Flask("services")

    @app.post("/score/<int:customer>")
    def answer(customer: int) -> Any:
        return jsonify(customer=customer, **score(request.get_json()))

    return app


def _fastapi() -> Any:
    from fastapi import Body, FastAPI

    app = FastAPI()

    @app.post("/score/{customer}")
    async def answer(customer: int, given: dict[str, Any] = Body()) -> Any:  # noqa: B008
        return {"customer": customer, **score(given)}

    return app


def _django() -> Any:
    import django
    from django.conf import settings

    settings.configure(ROOT_URLCONF=__name__, SECRET_KEY="x", ALLOWED_HOSTS=["*"], DEBUG=False)
    django.setup()
    from django.core.wsgi import get_wsgi_application
    from django.http import JsonResponse
    from django.urls import path

    def answer(request: Any, customer: int) -> Any:
        response = JsonResponse({"customer": customer, **score(json.loads(request.body))})
        # Without a middleware Django leaves it out, and gunicorn sends chunks, which the bench does not read.
        response["Content-Length"] = str(len(response.content))
        return response

    globals()["urlpatterns"] = [path("score/<int:customer>", answer)]
    return get_wsgi_application()


def __getattr__(name: str) -> Any:
    make = {"flask_app": _flask, "fastapi_app": _fastapi, "django_app": _django}.get(name)
    if make is None:
        raise AttributeError(name)
    return make()
