"""Workers that are killed while they serve: what each had finished is in its capture, to the last request."""

from __future__ import annotations

import struct

from cli_bench import Bench

# Ten times a worker is killed within its work. It writes a byte for each request that it has finished.
SERVES = """
import os, signal, time
import nilometer
def serve():
    done = os.open(f"{os.getpid()}.done", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    while True:
        sum(range(2000))
        nilometer.cycle("request", of="/a")
        os.write(done, b".")
for life in range(10):
    pid = os.fork()
    if pid == 0:
        serve()
    time.sleep(0.25 + life * 0.013)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
print("served")
"""
# `docs/capture-format.md`: where the board counts requests.
REQUESTS_OFFSET = 64 + 8 * 7


def test_what_a_killed_worker_had_finished_is_counted(bench: Bench) -> None:
    done = bench.watched("--quiet", "--children", "-o", "x.nilo", bench.script(SERVES))
    assert (done.returncode, done.stdout) == (0, b"served\n"), done.stderr
    lives = list(bench.folder.glob("*.done"))
    assert len(lives) == 10
    for life in lives:
        finished = life.stat().st_size
        capture = bench.folder / f"x.{life.stem}.nilo"
        (counted,) = struct.unpack_from("<Q", capture.read_bytes(), REQUESTS_OFFSET)
        # The kill may have come between the count and the byte.
        assert finished > 0, life
        assert counted - finished in (0, 1), (life, counted, finished)
        report = bench.report(capture.name, "--format", "json")
        assert report.returncode == 0, report
        assert b'"losses": []' in report.stdout, report
