"""Servers whose requests are known exactly; `web.py NAME` runs one."""

import asyncio
import logging
import socket
import sys
import threading
import time
import traceback
import urllib.request


def get(port, times, path="/"):
    for _ in range(times):
        urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60).read()


def get_on_one_connection(port, times, idle=0.0):
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", port)
    for _ in range(times):
        connection.request("GET", "/")
        connection.getresponse().read()
    time.sleep(idle)
    connection.close()


def flask():
    """By its own client, and under a server: 5 + 1 + 4."""
    import flask
    from werkzeug.serving import make_server

    app = flask.Flask("app")

    @app.get("/")
    def well():
        return "well"

    @app.get("/bad")
    def bad():
        raise ValueError("bad")

    app.testing = True
    client = app.test_client()
    for _ in range(5):
        client.get("/")
    try:
        client.get("/bad")
    except ValueError:
        traceback.print_exc(file=sys.stdout)
    logging.getLogger("werkzeug").setLevel("ERROR")
    server = make_server("127.0.0.1", 0, app)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    get(server.port, 4)
    server.shutdown()


def starlette():
    """Requests, also one that fails and one of an application inside: 8 + 1 + 1. A websocket is none."""
    import inspect

    import fastapi
    from fastapi.testclient import TestClient
    from starlette.applications import Starlette

    print(inspect.iscoroutinefunction(Starlette.__call__), inspect.signature(Starlette.__call__))
    app = fastapi.FastAPI()
    app.mount("/inner", Starlette())

    @app.get("/")
    def well():
        return {}

    @app.get("/async")
    async def well_async():
        return {}

    @app.get("/bad")
    async def bad():
        raise ValueError("bad")

    @app.websocket("/socket")
    async def talk(socket: fastapi.WebSocket):
        await socket.accept()
        await socket.send_text("hello")
        await socket.close()

    with TestClient(app) as client:
        for _ in range(4):
            client.get("/")
            client.get("/async")
        client.get("/inner/nothing")
        try:
            client.get("/bad")
        except ValueError:
            traceback.print_exc(file=sys.stdout)
        with client.websocket_connect("/socket") as socket:
            print(socket.receive_text())


def uvicorn():
    """An application that nothing else knows, and Flask under FastAPI: 3 + 5, and 3 + 4 + 5.

    Then two that answer by themselves before FastAPI is called: 3 + 2, and 3 + 2.
    """
    import fastapi
    import flask
    import uvicorn
    from starlette.middleware.wsgi import WSGIMiddleware

    async def bare(scope, receive, send):
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"x"})

    class Own(fastapi.FastAPI):
        async def __call__(self, scope, receive, send):
            own = scope.get("path") == "/own"
            await (bare(scope, receive, send) if own else super().__call__(scope, receive, send))

    async def around(scope, receive, send):
        await (bare if scope.get("path") == "/own" else plain)(scope, receive, send)

    plain, own = fastapi.FastAPI(), Own()
    plain.get("/plain")(lambda: {})
    own.get("/plain")(lambda: {})
    inner, outer = flask.Flask("inner"), fastapi.FastAPI()
    outer.mount("/flask", WSGIMiddleware(inner))
    inner.get("/")(lambda: "x")
    outer.get("/")(lambda: {})
    for app in (bare, outer, own, around):
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.05)
        if app in (own, around):
            get(port, 3, "/plain")
            get(port, 2, "/own")
        else:
            get(port, 3)
            get_on_one_connection(port, 5)
        if app is outer:
            get(port, 4, "/flask/")
        server.should_exit = True
        thread.join()


def python():
    """Each on its connection, many on one that then is idle, and a connection without any: 3 + 5."""
    import http.server

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 1

        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *words):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    get(server.server_port, 3)
    get_on_one_connection(server.server_port, 5, idle=1.5)
    socket.create_connection(("127.0.0.1", server.server_port)).close()
    server.shutdown()
    server.server_close()


async def nothing(message):
    pass


def django():
    """As WSGI and as ASGI: 3 + 4."""
    from wsgiref.util import setup_testing_defaults

    import django
    from django.conf import settings

    settings.configure(ROOT_URLCONF="__main__", SECRET_KEY="x", ALLOWED_HOSTS=["*"])
    django.setup()
    from django.core.asgi import get_asgi_application
    from django.core.wsgi import get_wsgi_application
    from django.http import HttpResponse
    from django.urls import path

    globals()["urlpatterns"] = [path("", lambda request: HttpResponse("x"))]
    application = get_wsgi_application()
    for _ in range(3):
        environ = {}
        setup_testing_defaults(environ)
        list(application(environ, lambda *words: None))

    async def ask(application):
        asked = []

        async def receive():
            if asked:
                await asyncio.sleep(60)
            asked.append(True)
            return {"type": "http.request", "body": b""}

        scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b"", "asgi": {}}
        await application(scope, receive, nothing)

    async def main():
        application = get_asgi_application()
        for _ in range(4):
            await ask(application)

    asyncio.run(main())


def tornado():
    import tornado.httpclient
    import tornado.httpserver
    import tornado.netutil
    import tornado.web

    class Handler(tornado.web.RequestHandler):
        async def get(self):
            self.write("x")

    async def main():
        sockets = tornado.netutil.bind_sockets(0, "127.0.0.1")
        tornado.httpserver.HTTPServer(tornado.web.Application([("/", Handler)])).add_sockets(sockets)
        client = tornado.httpclient.AsyncHTTPClient()
        for _ in range(5):
            await client.fetch(f"http://127.0.0.1:{sockets[0].getsockname()[1]}/")

    asyncio.run(main())


def grpc():
    """One answer each, and streams: 4 + 2."""
    from concurrent import futures

    import grpc

    class Handler(grpc.GenericRpcHandler):
        def service(self, details):
            if details.method == "/one":
                return grpc.unary_unary_rpc_method_handler(lambda request, context: request)
            return grpc.unary_stream_rpc_method_handler(lambda request, context: iter([b"1", b"2", b"3"]))

    server = grpc.server(futures.ThreadPoolExecutor(2))
    server.add_generic_rpc_handlers((Handler(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        for _ in range(4):
            channel.unary_unary("/one")(b"x")
        for _ in range(2):
            list(channel.unary_stream("/stream")(b"x"))
    server.stop(1).wait()


globals()[sys.argv[1]]()
