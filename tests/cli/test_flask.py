"""What only Flask's contexts lead to is named as programs ask for it, where Flask is installed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cli_bench import Bench

pytest.importorskip("flask")

# A context that nobody pops: a script enters one, and goes on in it.
ENTERED = """
import time
import flask
flask.Flask("app").app_context().push()
flask.g.seen = {}
def take(order):
    flask.g.seen[order] = bytes(100_000)
for order in range(300):
    take(order)
    time.sleep(0.02)
"""
# A new one each time, inside of the one before.
PUSHED = """
import time
import flask
def take(app, order):
    app.app_context().push()
    flask.g.order = bytes(100_000)
def main(app):
    for order in range(300):
        take(app, order)
        time.sleep(0.02)
main(flask.Flask("app"))
"""
# An application that no variable of the program's has.
OF_THE_APP = """
import time
import flask
def enter():
    app = flask.Flask("app")
    app.extensions["tiles"] = {}
    app.config["LOADED"] = {}
    app.app_context().push()
enter()
for order in range(300):
    flask.current_app.KEPT[order] = bytes(100_000)
    time.sleep(0.02)
"""
CASES = {
    "g": (ENTERED, "flask.g.seen[*]"),
    "g of many": (PUSHED, "flask.g.order"),
    "extensions": (
        OF_THE_APP.replace("KEPT", "extensions['tiles']"),
        "flask.current_app.extensions['tiles'][*]",
    ),
    "config": (OF_THE_APP.replace("KEPT", "config['LOADED']"), "flask.current_app.config['LOADED'][*]"),
}


@pytest.mark.parametrize("name", CASES)
def test_who_holds_it(bench: Bench, name: str) -> None:
    program, path = CASES[name]
    done = bench.watched("--quiet", "-o", "x.nilo", bench.script(program))
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(bench.report("x.nilo", "--format", "json").stdout)
    assert said["verdict"] == "leak", said["reason"]
    finding = said["findings"][0]
    # A finding may name all of a container whose entry the holder is.
    assert finding["holder"]["path"].startswith(path.split("[")[0]), finding
    assert path in [one["holder"]["path"] for one in said["holders"]]
