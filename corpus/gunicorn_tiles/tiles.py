"""Tiles of a map, made by workers of gunicorn; REMEMBERED says how many of them a worker keeps."""

import os

import numpy as np

LIMIT = int(os.environ.get("REMEMBERED", "0"))
made = {}


def tile(name):
    rng = np.random.default_rng(sum(name.encode()))
    ground = rng.normal(size=(160, 160)).cumsum(axis=0).cumsum(axis=1)
    return ground - ground.mean()


def app(environ, start_response):
    name = environ["PATH_INFO"]
    made[name] = tile(name)
    while LIMIT and len(made) > LIMIT:
        made.pop(next(iter(made)))
    body = f"{made[name].std():.3f}\n".encode()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]
