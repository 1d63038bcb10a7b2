"""The cycles of frameworks other than Keras, counted exactly, where they are installed."""

from __future__ import annotations

import subprocess

import pytest
from hook_runner import PROGRAMS, PYTHON, VERSION, Ran, Runner


def both(run: Runner, program: str, name: str, package: str) -> Ran:
    """Runs a program with the hooks and without: it must not be able to tell."""
    parts = [package.rpartition(".")[0] or package, package]
    find = f"import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, {parts!r})))"
    if subprocess.run([PYTHON, "-c", find], capture_output=True).returncode != 0:
        pytest.skip(f"{PYTHON} has no {package}")
    arguments = [str(PROGRAMS / program), name]
    env = {"PYTHONHASHSEED": "0"}
    plain, ended = run.plain(arguments, env), run(arguments, env)
    assert plain.returncode == 0, plain.stderr
    assert ended.code == 0, ended.stderr
    if VERSION >= (3, 11):  # some print a traceback
        assert ended.stdout == plain.stdout
    assert ended.losses() == []
    ended.phases()
    return ended


@pytest.mark.parametrize(
    ("name", "package", "cycles"),
    [
        ("torch", "torch", {"call": 24, "update": 12, "epoch": 3, "pass": 3}),
        ("torch_breaks", "torch", {"call": 8}),
        ("threads", "torch", {"call": 10}),
        ("lightning", "lightning.pytorch", {"epoch": 3, "fit": 1, "evaluate": 2, "predict": 1}),
        ("pytorch_lightning", "pytorch_lightning", {"epoch": 3, "fit": 1, "evaluate": 2, "predict": 1}),
        ("transformers", "transformers", {"epoch": 3, "fit": 1, "evaluate": 1, "predict": 1}),
        ("gymnasium", "gymnasium", {"episode": 9}),
        ("optuna", "optuna", {"trial": 6}),
        ("keras_tuner", "keras_tuner", {"trial": 3}),
        ("sklearn", "sklearn", {"fit": 9}),
        ("celery", "celery", {"task": 3}),
        ("rq", "rq", {"task": 3}),
        ("rq_forks", "rq", {"task": 3}),
        ("shell", "IPython", {"cell": 3}),
        ("driver", "nbclient", {"cell": 4}),
        ("papermill", "papermill", {"cell": 2}),
    ],
)
def test_cycles(run: Runner, name: str, package: str, cycles: dict[str, int]) -> None:
    assert both(run, "sources.py", name, package).cycles() == cycles


@pytest.mark.parametrize("name", ["uvicorn", "httptools", "aiohttp"])
def test_same_answers(run: Runner, name: str) -> None:
    """Each answer byte by byte, and what the program prints of errors that went through our wrappers."""
    ended = both(run, "answers.py", name, name)
    assert ended.stdout.count("HTTP/1.") >= 17
    assert ended.cycles()["served"] >= 14


@pytest.mark.parametrize("name", ["flask_sync", "flask_sync_preload", "flask_threads", "django_threads"])
def test_same_answers_of_workers(run: Runner, name: str) -> None:
    """The same of servers that fork; of a forked process the hooks tell nothing here, but they are in it."""
    ended = both(run, "answers.py", name, "gunicorn.app")
    assert ended.stdout.count("HTTP/1.") >= 17


def test_nobody_can_tell_from_a_module(run: Runner) -> None:
    """Compilers see the same graphs, and a traceback through modules has no line of ours."""
    assert both(run, "sources.py", "torch_others", "torch").cycles()["call"] >= 5


def test_compilations_of_jax(run: Runner) -> None:
    ended = both(run, "sources.py", "jax", "jax")
    assert ended.cycles() == {"step": 5}
    assert ended.probes()["jax_compiles"][-1] >= 5


def test_why_jax_compiles_again(run: Runner) -> None:
    ended = both(run, "sources.py", "jax_reasons", "jax")
    reasons: dict[str, list[str]] = {}
    for trace in ended.traces():
        assert trace.caller_file.endswith("/sources.py")
        if trace.file == trace.caller_file:
            reasons.setdefault(trace.function.rpartition(">.")[2], []).append(trace.why)
    assert reasons == {
        "step": [
            "",
            "argument 'batch' had shape (4,), before (3,)",
            "argument 'rate' was 0.5 (a Python float), before not given",
            "argument 'weights' was a dict of 2, before a dict of 1",
            "argument 'batch' had dtype int32, before float32",
        ],
        "<lambda>": ["", *["a new lambda each time"] * 2],
        "twice": ["", *["wrapped anew each time, as by functools.partial or jax.vmap"] * 2],
        "Model.call": ["", *["argument 'self' was another Model"] * 2],
    }


@pytest.mark.parametrize(
    ("name", "package", "endpoints"),
    [
        ("flask", "flask", {"GET /": 9, "GET /bad": 1}),
        ("starlette", "fastapi", {"GET /": 4, "GET /async": 4, "GET /inner/*": 1, "GET /bad": 1}),
        (
            "uvicorn",
            "uvicorn",
            {"GET / raw": 8, "GET /": 8, "GET /flask/": 4, "GET /plain": 6, "GET /own raw": 4},
        ),
        ("python", "http", {"GET / raw": 8}),
        ("django", "django", {"GET ": 7}),
        ("tornado", "tornado", {"GET / raw": 5}),
        ("grpc", "grpc", {"gRPC /one": 4, "gRPC /stream": 2}),
    ],
)
def test_requests(run: Runner, name: str, package: str, endpoints: dict[str, int]) -> None:
    """Once per request, however many frameworks and servers it goes through."""
    ended = both(run, "web.py", name, package)
    assert ended.endpoints() == endpoints
    assert ended.cycles() == {"served": sum(endpoints.values())}


def test_calls_of_an_asyncio_server(run: Runner) -> None:
    """All four kinds, those of a thread, and those that fail; of an unknown method no handler runs."""
    ended = both(run, "asyncio_grpc.py", "", "grpc.aio")
    counts = {
        **{"unary_unary/same": 2, "stream_unary/joined": 2, "unary_stream/three": 2, "stream_stream/echo": 2},
        **{f"unary_unary/{name}": 1 for name in ("of_a_thread", "bad", "aborts", "waits")},
        **{f"unary_stream/{name}": 1 for name in ("written", "bad_later", "waits_later")},
    }
    assert ended.endpoints() == {f"gRPC /{name}": count for name, count in counts.items()}
    assert ended.cycles() == {"served": 15}
    assert ended.stdout.count("Traceback") == 2


@pytest.mark.parametrize(
    ("name", "package", "endpoints"),
    [
        (
            "flask",
            "flask",
            {"GET /items/<int:id>": 3, "POST /shop/buy": 2, "GET (no route)": 2, "DELETE (no route)": 1},
        ),
        (
            "fastapi",
            "fastapi",
            {
                "GET /items/{id}": 3,
                "POST /shop/buy": 2,
                "GET (no route)": 2,
                "GET /inner/{name}": 2,
                "DELETE /items/{id}": 1,
            },
        ),
        (
            "django",
            "django",
            {"GET items/<int:id>/": 3, "POST shop/buy": 2, "GET (no route)": 2, "GET ^old/([0-9]+)$": 1},
        ),
    ],
)
def test_routes(run: Runner, name: str, package: str, endpoints: dict[str, int]) -> None:
    """A request has the name of its route, in the words of its framework."""
    assert both(run, "routes.py", name, package).endpoints() == endpoints
