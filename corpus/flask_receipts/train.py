"""Receipts are drawn by a small Flask app; customers of the same script ask for them over loopback."""

import argparse
import hashlib
import http.client
import threading
import time
import zlib

from flask import Flask, Response, request
from werkzeug.serving import WSGIRequestHandler, make_server

app = Flask(__name__)
drawn = {}


class Quiet(WSGIRequestHandler):
    def log_request(self, *args):
        pass


def draw(customer, items):
    """A picture of bars, one row per item, as raw bytes."""
    rows = []
    for item in range(items):
        seed = hashlib.sha256(f"{customer}/{item}".encode()).digest()
        rows.append(seed * 16)
    return b"".join(rows)


@app.get("/receipt/<customer>")
def receipt(customer):
    picture = draw(customer, request.args.get("items", 80, int))
    drawn[customer] = picture
    limit = app.config["REMEMBERED"]
    while limit and len(drawn) > limit:
        del drawn[next(iter(drawn))]
    return Response(zlib.compress(picture, 9), mimetype="application/octet-stream")


def customers(port, visits, seconds):
    end = time.monotonic() + seconds
    received = 0
    for visit in range(visits):
        if time.monotonic() > end:
            break
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", f"/receipt/c{visit:05}?items=80")
        received += len(connection.getresponse().read())
        connection.close()
        time.sleep(0.01)
        if (visit + 1) % 25 == 0:
            print(f"{visit + 1} receipts", flush=True)
    return received


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--visits", type=int, default=750)
    parser.add_argument("--fixed", action="store_true", help="remembers 30 receipts")
    args = parser.parse_args()
    app.config["REMEMBERED"] = 30 if args.fixed else None

    server = make_server("127.0.0.1", 0, app, request_handler=Quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    received = customers(server.server_port, args.visits, seconds=120)
    server.shutdown()
    thread.join(timeout=20)
    print(f"{received} bytes received, {len(drawn)} receipts remembered")


main()
