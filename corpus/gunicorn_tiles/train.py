"""Starts gunicorn with two workers and loads it for some seconds, as a test of load would."""

import argparse
import http.client
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def get(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


def wait_for(port, server):
    end = time.monotonic() + 60
    while time.monotonic() < end and server.poll() is None:
        try:
            return get(port, "/ready")
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server did not start")


def load(port, requests, seconds):
    end = time.monotonic() + seconds
    good = 0
    for number in range(requests):
        if time.monotonic() > end:
            break
        good += get(port, f"/tile/{number // 40}/{number % 40}") == 200
        time.sleep(0.012)
        if (number + 1) % 20 == 0:
            print(f"{number + 1} tiles asked for, {good} came", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=800)
    parser.add_argument("--fixed", action="store_true", help="a worker remembers 20 tiles")
    args = parser.parse_args()

    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "--workers", "2", "--bind", f"127.0.0.1:{port}"]
    command += ["--chdir", str(HERE), "--no-control-socket", "--log-level", "warning", "tiles:app"]
    server = subprocess.Popen(command, env={**os.environ, "REMEMBERED": "20" if args.fixed else "0"})
    try:
        wait_for(port, server)
        load(port, args.requests, seconds=120)
    finally:
        server.terminate()
        server.wait(timeout=40)
    print("done")


main()
