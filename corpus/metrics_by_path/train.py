"""A shop of a few routes in Flask that measures its latency with Prometheus; its customers ask at random."""

import argparse
import http.client
import random
import threading
import time

from flask import Flask, jsonify, request
from prometheus_client import Histogram
from werkzeug.serving import WSGIRequestHandler, make_server

app = Flask(__name__)
STEPS = [0.0001 * 1.25**number for number in range(60)]
LATENCY = Histogram("latency_seconds", "By the place that was asked for", ["place"], buckets=STEPS)
PRICES = [round(3.5 + 0.25 * number, 2) for number in range(400)]


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, *args):
        pass


@app.before_request
def begin():
    request.began = time.perf_counter()


@app.after_request
def end(response):
    if request.endpoint == "order":
        place = request.url_rule.rule if app.config["BY_ROUTE"] else request.path
        LATENCY.labels(place).observe(time.perf_counter() - request.began)
    return response


@app.get("/")
def index():
    return jsonify(prices=PRICES[:20])


@app.get("/price/<int:article>")
def price(article):
    return jsonify(article=article, price=PRICES[article % len(PRICES)])


@app.get("/search")
def search():
    below = request.args.get("below", 20.0, float)
    return jsonify(found=[number for number, price in enumerate(PRICES) if price < below][:50])


@app.post("/order/<number>")
def order(number):
    return jsonify(number=number, total=sum(PRICES[:7]))


def customer(port, seed, visits, end, asked):
    choice = random.Random(seed)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    weights = [1, 1, 1, 1]
    for visit in range(visits):
        if time.monotonic() > end:
            break
        if visit % 5 == 0:
            weights = [choice.random() for _ in range(4)]
        kind = choice.choices(range(4), weights)[0]
        path = ["/", f"/price/{visit}", f"/search?below={visit % 90}", f"/order/{seed}-{visit:05}"][kind]
        connection.request("POST" if kind == 3 else "GET", path)
        connection.getresponse().read()
        asked[kind] += 1
        time.sleep(0.03)
    connection.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--visits", type=int, default=400, help="of each of eight customers")
    parser.add_argument("--fixed", action="store_true", help="the label is the route")
    args = parser.parse_args()
    app.config["BY_ROUTE"] = args.fixed

    server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Quiet)
    serving = threading.Thread(target=server.serve_forever, daemon=True)
    serving.start()
    end = time.monotonic() + 120
    asked = [[0] * 4 for _ in range(8)]
    customers = [
        threading.Thread(target=customer, args=(server.server_port, seed, args.visits, end, asked[seed]))
        for seed in range(8)
    ]
    for one in customers:
        one.start()
    for one in customers:
        one.join()
    server.shutdown()
    serving.join(timeout=20)
    print(f"{sum(map(sum, asked))} visits, {sum(one[3] for one in asked)} orders")


main()
