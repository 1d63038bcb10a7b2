"""Applications with routes that have parameters, mounts and none at all; `routes.py NAME` runs one."""

import sys


def flask():
    """3 + 2 + 2 + 1."""
    import flask

    app = flask.Flask("app")
    shop = flask.Blueprint("shop", "shop", url_prefix="/shop")

    @app.get("/items/<int:id>")
    def item(id):
        return str(id)

    @shop.post("/buy")
    def buy():
        return "bought"

    app.register_blueprint(shop)
    client = app.test_client()
    for id in (1, 2, 3):
        print(client.get(f"/items/{id}").text)
    for _ in range(2):
        print(client.post("/shop/buy").text, client.get("/nothing").status)
    print(client.delete("/items/1").status)


def fastapi():
    """3 + 2 + 2 + 2 + 1."""
    import fastapi
    from fastapi.testclient import TestClient
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route

    app = fastapi.FastAPI()
    shop = fastapi.APIRouter(prefix="/shop")

    @app.get("/items/{id}")
    def item(id: int):
        return id

    @shop.post("/buy")
    async def buy():
        return "bought"

    async def named(request):
        return PlainTextResponse(request.path_params["name"])

    app.include_router(shop)
    app.mount("/inner", Starlette(routes=[Route("/{name}", named)]))
    client = TestClient(app)
    for id in (1, 2, 3):
        print(client.get(f"/items/{id}").text)
    for _ in range(2):
        print(client.post("/shop/buy").text, client.get("/nothing").status_code)
        print(client.get("/inner/x").text)
    print(client.delete("/items/1").status_code)


def django():
    """3 + 2 + 2 + 1."""
    import django
    from django.conf import settings

    settings.configure(ROOT_URLCONF="__main__", SECRET_KEY="x", ALLOWED_HOSTS=["*"])
    django.setup()
    from django.core.wsgi import get_wsgi_application
    from django.http import HttpResponse
    from django.test import RequestFactory
    from django.urls import include, path, re_path

    def view(request, *args, **kwargs):
        return HttpResponse("x")

    globals()["urlpatterns"] = [
        path("items/<int:id>/", view),
        path("shop/", include([path("buy", view)])),
        re_path(r"^old/([0-9]+)$", view),
    ]
    application = get_wsgi_application()

    def ask(method, path):
        environ = RequestFactory().generic(method, path).environ
        b"".join(application(environ, lambda status, headers: print(status)))

    for id in (1, 2, 3):
        ask("GET", f"/items/{id}/")
    for _ in range(2):
        ask("POST", "/shop/buy")
        ask("GET", "/nothing")
    ask("GET", "/old/12")


globals()[sys.argv[1]]()
