"""Servers that are asked over sockets; `answers.py NAME` prints each answer, without its date."""

import os
import re
import signal
import socket
import sys
import threading
import time
import traceback

PARTS = [f"part {n}\n" * (n + 1) for n in range(5)]


def call(path, method="GET", more="", body=b""):
    length = f"Content-Length: {len(body)}\r\n" if method == "POST" else ""
    return f"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{more}{length}\r\n".encode() + body


CHUNKS = b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"
CHUNKED = (
    call("/echo", "POST", "Transfer-Encoding: chunked\r\n").replace(b"Content-Length: 0\r\n", b"") + CHUNKS
)
UPGRADE = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
TALK = call("/socket", more=UPGRADE + "Upgrade: websocket\r\n").replace(b"close", b"Upgrade")
# Two texts with a mask of noughts, for a server that has agreed to talk; and how its last word begins.
TEXTS = b"\x81\x82\0\0\0\0hi\x81\x83\0\0\0\0bye"
CLOSES = b"\x88"
CALLS = {
    "well": call("/"),
    "head": call("/", "HEAD"),
    "options": call("/", "OPTIONS"),
    "route": call("/items/3?q=1&q=2"),
    "no item": call("/items/x"),
    "nothing": call("/nothing"),
    "no method": call("/", "DELETE"),
    "echo": call("/echo", "POST", body=b"a" * 70_000),
    "chunked": CHUNKED,
    "stream": call("/stream"),
    "head of a stream": call("/stream", "HEAD"),
    "bad": call("/bad"),
    "bad within": call("/within"),
    "empty": call("/empty"),
    "old": b"GET / HTTP/1.0\r\n\r\n",
    "no request": b"GARBAGE\r\n\r\n",
    "two": call("/").replace(b"Connection: close\r\n", b"") + call("/"),
    "socket": TALK,
}


def answer(port, message):
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.sendall(message)
        parts = []
        try:
            while part := connection.recv(65536):
                parts.append(part)
                if part.startswith(b"HTTP/1.1 101"):
                    connection.sendall(TEXTS)
                if message is TALK and CLOSES in part:
                    break
        except (TimeoutError, ConnectionResetError) as error:
            parts.append(type(error).__name__.encode())
    return re.sub(rb"(?i)date: [^\r]*", b"date", b"".join(parts))


def ask_all(port):
    for name, message in CALLS.items():
        print(name, answer(port, message), flush=True)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def wait_for(port):
    for _ in range(600):
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
    raise SystemExit("the server did not start")


def show(error):
    """What the program sees of an error that went through the server's functions."""
    traceback.print_exception(error, file=sys.stdout)
    sys.stdout.flush()


def within():
    yield "x" * 100
    raise RuntimeError("within")


def flask_app():
    import flask

    app = flask.Flask("app")

    @app.get("/items/<int:id>")
    def item(id):
        return flask.jsonify(id=id, q=flask.request.args.getlist("q"))

    @app.post("/echo")
    def echo():
        return flask.Response(flask.request.get_data(), headers={"X-A": "1"})

    @app.get("/bad")
    def bad():
        raise ValueError("bad")

    @app.errorhandler(ValueError)
    def told(error):
        show(error)
        return "no", 500

    app.get("/")(lambda: "well")
    app.get("/stream", endpoint="stream")(lambda: flask.Response(iter(PARTS)))
    app.get("/within", endpoint="within")(lambda: flask.Response(within()))
    app.get("/empty", endpoint="empty")(lambda: ("", 204))
    return app


def django_app():
    import django
    from django.conf import settings

    settings.configure(ROOT_URLCONF="__main__", SECRET_KEY="x", ALLOWED_HOSTS=["*"])
    django.setup()
    from django.core.signals import got_request_exception
    from django.core.wsgi import get_wsgi_application
    from django.http import HttpResponse, JsonResponse, StreamingHttpResponse
    from django.urls import path

    def bad(request):
        raise ValueError("bad")

    globals()["urlpatterns"] = [
        path("", lambda request: HttpResponse("well")),
        path("items/<int:id>", lambda request, id: JsonResponse({"id": id, "q": request.GET.getlist("q")})),
        path("echo", lambda request: HttpResponse(request.body, headers={"X-A": "1"})),
        path("stream", lambda request: StreamingHttpResponse(iter(PARTS))),
        path("within", lambda request: StreamingHttpResponse(within())),
        path("bad", bad),
        path("empty", lambda request: HttpResponse(status=204)),
    ]
    got_request_exception.connect(lambda **_: show(sys.exception()), weak=False)
    return get_wsgi_application()


def gunicorn(make, **settings):
    """Under gunicorn, which is this process: its client is a child that ends it."""
    from gunicorn.app.base import BaseApplication

    class Server(BaseApplication):
        def load_config(self):
            told = {"bind": f"127.0.0.1:{port}", "loglevel": "critical", "control_socket_disable": True}
            for name, value in {**told, **settings}.items():
                if name in self.cfg.settings:
                    self.cfg.set(name, value)

        def load(self):
            return make()

    port = free_port()
    server = os.getpid()
    if os.fork() == 0:
        wait_for(port)
        ask_all(port)
        os.kill(server, signal.SIGTERM)
        os._exit(0)
    Server().run()


def flask_sync():
    gunicorn(flask_app)


def flask_sync_preload():
    gunicorn(flask_app, workers=2, preload_app=True)


def flask_threads():
    gunicorn(flask_app, worker_class="gthread", threads=4)


def django_threads():
    gunicorn(django_app, worker_class="gthread", threads=4, preload_app=True)


def uvicorn(http="h11"):
    import fastapi
    import uvicorn
    from fastapi.responses import PlainTextResponse, StreamingResponse

    app = fastapi.FastAPI()

    @app.get("/items/{id}")
    def item(id: int, q: str = ""):
        return {"id": id, "q": q}

    @app.post("/echo")
    async def echo(request: fastapi.Request):
        return PlainTextResponse(await request.body(), headers={"X-A": "1"})

    @app.get("/bad")
    async def bad():
        raise ValueError("bad")

    @app.exception_handler(ValueError)
    async def told(request, error):
        show(error)
        return PlainTextResponse("no", 500)

    @app.websocket("/socket")
    async def talk(socket: fastapi.WebSocket):
        await socket.accept()
        while (text := await socket.receive_text()) != "bye":
            await socket.send_text(text * 2)
        await socket.close()

    app.get("/")(lambda: "well")
    app.get("/stream")(lambda: StreamingResponse(iter(PARTS)))
    app.get("/within")(lambda: StreamingResponse(within()))
    app.get("/empty", status_code=204)(lambda: None)
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="critical", http=http))
    thread = threading.Thread(target=server.run)
    thread.start()
    wait_for(port)
    ask_all(port)
    server.should_exit = True
    thread.join()


def httptools():
    uvicorn("httptools")


def aiohttp():
    import asyncio

    from aiohttp import web

    async def item(request):
        return web.json_response({"id": int(request.match_info["id"]), "q": request.query.getall("q")})

    async def echo(request):
        return web.Response(body=await request.read(), headers={"X-A": "1"})

    async def bad(request):
        raise ValueError("bad")

    async def stream(request):
        response = web.StreamResponse()
        await response.prepare(request)
        for part in PARTS:
            await response.write(part.encode())
        return response

    async def breaks(request):
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"x" * 100)
        raise RuntimeError("within")

    async def talk(request):
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        while (text := await socket.receive_str()) != "bye":
            await socket.send_str(text * 2)
        await socket.close()
        return socket

    @web.middleware
    async def told(request, handler):
        try:
            return await handler(request)
        except (ValueError, RuntimeError) as error:
            show(error)
            raise

    async def well(request):
        return web.Response(text="well")

    async def empty(request):
        return web.Response(status=204)

    async def main():
        app = web.Application(middlewares=[told])
        app.add_routes([web.get("/", well), web.get("/items/{id}", item), web.post("/echo", echo)])
        app.add_routes([web.get("/stream", stream), web.get("/within", breaks), web.get("/bad", bad)])
        app.add_routes([web.get("/empty", empty), web.get("/socket", talk)])
        runner = web.AppRunner(app)
        await runner.setup()
        port = free_port()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        await asyncio.to_thread(ask_all, port)
        await runner.cleanup()

    import logging

    logging.disable()
    asyncio.run(main())


globals()[sys.argv[1]]()
