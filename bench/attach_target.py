"""What `attach.py` attaches to, again and again: hostile threads, and a main thread of one of several kinds.

In: the kind, and the path of a file; it ends once that file is there. Out: one line that counts its own
faults: waits that ended early, children that did not end as they should, wrong sums. All must be 0.
"""

from __future__ import annotations

import asyncio
import gc
import os
import select
import socket
import subprocess
import sys
import threading
import time

KIND, STOP = sys.argv[1:3]
faults = {"early": 0, "child": 0, "sum": 0, "error": 0}
exit_code = 3


def ended() -> bool:
    return os.path.exists(STOP)


def allocate() -> None:
    while not ended():
        kept = [bytearray(size) for size in range(1, 20_000, 97)]
        if sum(map(len, kept)) != sum(range(1, 20_000, 97)):
            faults["sum"] += 1


def collect() -> None:
    while not ended():
        ring: list[object] = []
        for _ in range(200):
            ring = [ring]
        ring.append(ring)
        gc.collect(0)


def churn() -> None:
    total = [0]

    def add() -> None:
        total[0] += 1

    while not ended():
        before = total[0]
        threads = [threading.Thread(target=add) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if total[0] != before + 8:
            faults["sum"] += 1


def waits(seconds: float = 0.05) -> None:
    """One of the ways to wait, each of which must last as long as it was asked to."""
    reader, writer = os.pipe()
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()
    server.settimeout(seconds)
    lock = threading.Lock()
    lock.acquire()
    ways = {
        "sleep": lambda: time.sleep(seconds),
        "select": lambda: select.select([reader], [], [], seconds),
        "lock": lambda: lock.acquire(timeout=seconds),
        "accept": lambda: accept(server),
        "join": lambda: threading.Thread(target=time.sleep, args=(seconds,)).run(),
        "event": lambda: threading.Event().wait(seconds),
    }
    poll = select.poll()
    poll.register(reader, select.POLLIN)
    ways["poll"] = lambda: poll.poll(seconds * 1000)
    epoll = select.epoll()
    epoll.register(reader, select.EPOLLIN)
    ways["epoll"] = lambda: epoll.poll(seconds)
    while not ended():
        for name, way in ways.items():
            begun = time.monotonic()
            way()
            if time.monotonic() - begun < seconds * 0.9:
                faults["early"] += 1
                print("early", name, file=sys.stderr)
    for end in (reader, writer):
        os.close(end)


def accept(server: socket.socket) -> None:
    try:
        server.accept()
        faults["error"] += 1
    except TimeoutError:
        pass


def forks() -> None:
    while not ended():
        pid = os.fork()
        if pid == 0:
            os._exit(sum(range(100)) % 100)
        if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 50:
            faults["child"] += 1
        done = subprocess.run(
            [sys.executable, "-S", "-E", "-c", "print(6*7)"], capture_output=True, check=False
        )
        if (done.returncode, done.stdout) != (0, b"42\n"):
            faults["child"] += 1


def busy() -> None:
    while not ended():
        if sum(range(20_000)) != 199_990_000:
            faults["sum"] += 1


def sleeps() -> None:
    """A sleep that is far longer than the test, and one pipe that ends it."""
    reader, writer = os.pipe()

    def wake() -> None:
        while not ended():
            time.sleep(0.05)
        os.write(writer, b"x")

    threading.Thread(target=wake).start()
    if os.read(reader, 1) != b"x":
        faults["early"] += 1


def joined() -> None:
    threads = [threading.Thread(target=busy)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


async def loop() -> None:
    while not ended():
        begun = time.monotonic()
        await asyncio.sleep(0.05)
        if time.monotonic() - begun < 0.045:
            faults["early"] += 1
        reading = await asyncio.create_subprocess_exec("true")
        if await reading.wait() != 0:
            faults["child"] += 1


def calls() -> None:
    """Uses the queue itself, as C libraries do."""
    import ctypes

    done = [0]
    kind = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)

    @kind
    def call(_: object) -> int:
        done[0] += 1
        return 0

    asked = 0
    while not ended():
        asked += ctypes.pythonapi.Py_AddPendingCall(call, None) == 0
        time.sleep(0.0001)
    time.sleep(0.1)
    if done[0] != asked:
        faults["sum"] += 1


def signals() -> None:
    """An interval timer whose handler counts: none of its signals may get lost for good."""
    import signal

    got = [0]
    signal.signal(signal.SIGALRM, lambda *_: got.__setitem__(0, got[0] + 1))
    signal.setitimer(signal.ITIMER_REAL, 0.003, 0.003)
    while not ended():
        before = got[0]
        time.sleep(0.05)
        if got[0] == before:
            faults["early"] += 1
    signal.setitimer(signal.ITIMER_REAL, 0)


def fit() -> None:
    """A training by Keras: the same rows, so the loss must go down."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import keras
    import numpy as np

    x = np.random.default_rng(0).random((4_000, 16), dtype=np.float32)
    model = keras.Sequential([keras.Input((16,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    first = model.evaluate(x, x.sum(1), verbose=0)
    print("ready", os.getpid(), flush=True)
    rounds = 0
    while not ended():
        losses = model.fit(x, x.sum(1), epochs=2, verbose=0).history["loss"]
        rounds += 1
        if len(losses) != 2 or not losses[-1] < first:
            faults["sum"] += 1
    if not rounds:
        faults["early"] += 1


SERVED = """
import os, time
def app(environ, start_response):
    time.sleep(0.002)
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [str(sum(range(10_000))).encode()]
"""


def gthread() -> None:
    """A worker of gunicorn with threads, under load: no answer may be missing or wrong."""
    import tempfile
    import urllib.request

    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "served.py"), "w") as file:
            file.write(SERVED)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        command = ["-m", "gunicorn", "-k", "gthread", "--threads", "4", "-w", "1"]
        words = [*command, "-b", f"127.0.0.1:{port}", "--log-level", "critical", "served:app"]
        server = subprocess.Popen([sys.executable, *words], cwd=folder)

        def ask() -> bytes:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30) as answer:
                return answer.read()

        def load() -> None:
            while not ended():
                if ask() != b"49995000":
                    faults["sum"] += 1

        def loaded() -> None:
            try:
                load()
            except OSError:
                faults["error"] += 1

        while True:
            try:
                ask()
                break
            except OSError:
                time.sleep(0.05)
        with open(f"/proc/{server.pid}/task/{server.pid}/children") as children:
            worker = int(children.read().split()[0])
        clients = [threading.Thread(target=loaded) for _ in range(4)]
        for client in clients:
            client.start()
        print("ready", worker, flush=True)
        for client in clients:
            client.join()
        with open(f"/proc/{server.pid}/task/{server.pid}/children") as children:
            if children.read().split() != [str(worker)]:
                faults["child"] += 1
        server.terminate()
        if server.wait(60) != 0:
            faults["child"] += 1


# These say themselves that they are ready, and need a package that a plain Python has not.
OF_PACKAGES = {"fit": fit, "gthread": gthread}
KINDS = {
    **OF_PACKAGES,
    "busy": busy,
    "waits": waits,
    "forks": forks,
    "sleeps": sleeps,
    "joined": joined,
    "asyncio": lambda: asyncio.run(loop()),
    "calls": calls,
    "signals": signals,
}

helpers = (
    []
    if KIND in ("sleeps", "fit", "gthread")
    else [threading.Thread(target=work) for work in (allocate, collect, churn)]
)
for helper in helpers:
    helper.start()
if KIND not in OF_PACKAGES:
    print("ready", os.getpid(), flush=True)
try:
    KINDS[KIND]()
except BaseException as error:
    faults["error"] += 1
    print(repr(error), file=sys.stderr)
for helper in helpers:
    helper.join()
print(faults, flush=True)
sys.exit(exit_code)
