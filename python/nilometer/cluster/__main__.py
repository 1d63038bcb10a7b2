"""One run of an experiment on a node of a Ray cluster that is there already.

In: `check`, or `run FILE` with the file that says what to run; the cluster is the one that Ray finds, or
`RAY_ADDRESS` names. Out: the capture in its place here, the program's words on stdout, the program's exit
code. `check` says on stdout which cluster it is, or on stderr why there is none, and
after a semicolon what to do.
Never: a process left on the node when this one ends, however it ends.

It is started as a file, not as a module: so the class below travels to the node with the task, and what is
wrong there can be told in words.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import signal
import sys
import tarfile

# The package is the one that this file is of, whatever the path says.
sys.path.insert(0, os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..")))
from nilometer.cluster import words

sys.path.pop(0)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from typing import Any, NoReturn

    Spec = dict[str, Any]

# Of the environment here, what belongs to this machine and not to the program.
_OWN = (
    "PATH",
    "HOME",
    "USER",
    "SHELL",
    "HOSTNAME",
    "PWD",
    "OLDPWD",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "VIRTUAL_ENV",
)
_OURS = ("RAY_", "_NILOMETER_", "_RAY_")
# What Ray tells its workers, and the program would not have had.
_WORKERS = ("OMP_NUM_THREADS", "PYTHONPATH", "PYTHONUNBUFFERED")
_LOOK = 0.3  # seconds
_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Runner:
    """The run, on the node: a folder of its own, and the process in it.

    `sentences` are `words.ON_NODE`: that file is not there where nilometer is not.
    """

    def __init__(self, version: str, sentences: dict[str, str]) -> None:
        import socket
        from importlib.metadata import PackageNotFoundError
        from importlib.metadata import version as installed
        from importlib.util import find_spec

        spec, node = find_spec("nilometer"), socket.gethostname()
        if spec is None or not spec.submodule_search_locations:
            raise RuntimeError(sentences["missing"].format(node=node))
        try:
            there = installed("nilometer")
        except PackageNotFoundError:
            there = version
        if there != version:
            raise RuntimeError(sentences["other"].format(node=node, there=there, here=version))
        self.entry = os.path.join(next(iter(spec.submodule_search_locations)), "__main__.py")
        self.read = 0

    def start(self, spec: Spec, archive: bytes, environment: dict[str, str]) -> None:
        """Unpacks the program's folder and starts the process."""
        import ctypes
        import io
        import subprocess
        import sys
        import tarfile
        import tempfile

        self.root = os.path.realpath(tempfile.mkdtemp(prefix="nilometer-prove-"))
        self.capture = os.path.join(self.root, "capture.nilo")
        self.words = os.path.join(self.root, "words.log")
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            # What this program packed itself is unpacked as it is.
            trust = {"filter": "fully_trusted"} if hasattr(tarfile, "fully_trusted_filter") else {}
            tar.extractall(self.root, **trust)  # type: ignore[arg-type]
        places = {spec["python"]: sys.executable, spec["entry"]: self.entry, spec["capture"]: self.capture}

        def here(word: str) -> str:
            return places.get(word, word).replace(spec["own"], self.root)

        hidden = (*spec["workers"], *(name for name in os.environ if name.startswith("RAY_")))
        inherited = {name: value for name, value in os.environ.items() if name not in hidden}
        given = {name: here(value) for name, value in spec["environment"].items()}
        prctl = ctypes.CDLL(None).prctl

        def prepare() -> None:
            prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG: if this worker is killed
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, [])

        with open(self.words, "wb") as words:
            self.process: subprocess.Popen[bytes] = subprocess.Popen(
                [here(word) for word in spec["command"]],
                cwd=here(spec["folder"]),
                env={**inherited, **environment, **given},
                stdin=subprocess.DEVNULL,
                stdout=words,
                stderr=words,
                start_new_session=True,
                preexec_fn=prepare,
            )

    def look(self) -> tuple[int | None, bytes]:
        """How it ended, if it has, and what it has said since the last look."""
        code = self.process.poll()
        with open(self.words, "rb") as words:
            words.seek(self.read)
            new = words.read(1 << 20)
        self.read += len(new)
        # What it said last is handed over first.
        return (None if len(new) == 1 << 20 else code), new

    def send(self, number: int) -> None:
        """Sends a signal to it and to all that it started."""
        import contextlib

        if self.process.poll() is None or number == signal.SIGKILL:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    def end(self) -> bytes:
        """The capture; after it nothing is left on the node."""
        import shutil

        self.send(signal.SIGKILL)
        self.process.wait()
        capture = b""
        if os.path.exists(self.capture):
            with open(self.capture, "rb") as file:
                capture = file.read()
        shutil.rmtree(self.root, ignore_errors=True)
        return capture


class Follower:
    """The run, seen from here: asks the node, and hands on the signals that come."""

    def __init__(self, ray: Any) -> None:
        self.ray = ray
        self.came: list[int] = []
        for number in _ENDS:
            signal.signal(number, lambda number, _: self.came.append(number))

    def answer(self, reference: Any, patient: bool = True) -> Any:
        """What the node says; without patience it gives up when a signal comes."""
        while not self.ray.wait([reference], timeout=_LOOK)[0]:
            if self.came and not patient:
                sys.exit(128 + self.came[0])
        return self.ray.get(reference)

    def follow(self, spec: Spec) -> int:
        """Runs it to its end; its exit code, negative for a signal."""
        from time import sleep

        needs = {"num_cpus": 1, **({"memory": spec["memory"]} if spec["memory"] else {})}
        runner = self.ray.remote(Runner).options(**needs).remote(spec["version"], words.ON_NODE)
        # Until a node has room for it there is nothing to be asked to end.
        self.answer(runner.start.remote(spec, _pack(spec["own"]), _environment()), patient=False)
        asked = code = None
        while code is None:
            code, new = self.answer(runner.look.remote())
            sys.stdout.buffer.write(new)
            sys.stdout.buffer.flush()
            if self.came and asked != len(self.came):
                # Who tells twice will kill soon: what is on the node has to be here before.
                number = self.came[-1] if asked is None else signal.SIGKILL
                asked = len(self.came)
                self.answer(runner.send.remote(number))
            elif code is None:
                sleep(_LOOK)
        capture = self.answer(runner.end.remote())
        if capture:
            with open(spec["capture"], "wb") as file:
                file.write(capture)
        self.ray.kill(runner)
        return int(code)


def _pack(folder: str) -> bytes:
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w") as tar:
        tar.add(folder, arcname=".")
    return into.getvalue()


def _environment() -> dict[str, str]:
    return {
        name: value for name, value in os.environ.items() if name not in _OWN and not name.startswith(_OURS)
    }


def _connected() -> Any:
    try:
        ray = importlib.import_module("ray")
    except ImportError:
        _fail(words.NO_RAY, words.INSTALL_RAY)
    try:
        # Found, never started: the machine is for others to give.
        ray.init(address="auto", log_to_driver=False, logging_level="ERROR")
    except Exception as error:
        where = os.environ.get("RAY_ADDRESS")
        said = (str(error).strip() or type(error).__name__).splitlines()[0]
        _fail(words.no_cluster(where, said), words.WHICH_CLUSTER)
    return ray


def _fail(why: str, hint: str = "") -> NoReturn:
    sys.stderr.write(f"{why}; {hint}\n" if hint else f"{why}\n")
    sys.exit(1)


def main() -> int:
    """`check` or `run FILE`."""
    if sys.argv[1:] == ["check"]:
        ray = _connected()
        nodes = sum(bool(node["Alive"]) for node in ray.nodes())
        cpus = int(ray.cluster_resources().get("CPU", 0))
        print(words.found(ray.__version__, nodes, cpus))
        return 0
    with open(sys.argv[2], encoding="utf-8") as file:
        spec: Spec = json.load(file)
    spec["workers"] = _WORKERS
    try:
        return Follower(_connected()).follow(spec)
    except Exception as error:
        # Ray's errors bring the traceback of the node; the last line is what happened.
        said = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
        _fail(words.failed(said[-1].strip()))


if __name__ == "__main__":
    code = main()
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)
