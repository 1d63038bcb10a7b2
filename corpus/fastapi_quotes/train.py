"""A service that prices options by simulation, made with FastAPI, and a client that asks it for a while."""

import argparse
import http.client
import json
import socket
import threading
import time

import numpy as np
import uvicorn
from fastapi import FastAPI

app = FastAPI()
app.state.keep = 16
app.state.paths = {}


@app.get("/quote/{number}")
def quote(number: int, strike: float = 100.0) -> dict:
    rng = np.random.default_rng(number)
    steps = rng.normal(0.0, 0.02, (200, 64))
    paths = 100.0 * np.exp(steps.cumsum(axis=1))
    app.state.paths[f"quote-{number:05}"] = paths
    if app.state.keep is not None and len(app.state.paths) > app.state.keep:
        app.state.paths.pop(next(iter(app.state.paths)))
    payoff = np.maximum(paths[:, -1] - strike, 0).mean()
    return {"number": number, "price": round(float(payoff), 4)}


def ask(port: int, requests: int, seconds: float) -> int:
    """Asks until all was asked or the time is over; a line for each 20 answers."""
    end = time.monotonic() + seconds
    answered = 0
    while answered < requests and time.monotonic() < end:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", f"/quote/{answered}?strike={90 + answered % 20}")
        answer = json.loads(connection.getresponse().read())
        connection.close()
        answered += 1
        time.sleep(0.01)
        if answered % 20 == 0:
            print(f"{answered} quotes, the last {answer['price']:.2f}", flush=True)
    return answered


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=800)
    parser.add_argument("--fixed", action="store_true", help="keeps the paths of 16 quotes")
    args = parser.parse_args()
    if not args.fixed:
        app.state.keep = None

    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="server")
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        answered = ask(listener.getsockname()[1], args.requests, seconds=120)
    finally:
        server.should_exit = True
        thread.join(timeout=20)
    print(f"{answered} answered, {len(app.state.paths)} kept")


main()
