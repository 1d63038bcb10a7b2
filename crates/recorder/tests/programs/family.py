"""Forks, pools of each kind, programs that are started, and an exec; prints what they say."""

import multiprocessing
import os
import subprocess
import sys


def work(number):
    rows = [bytes(1000 + number % 7) for _ in range(3000)]
    return len(rows) + number


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print("again", len([bytes(5000) for _ in range(1000)]), "LD_PRELOAD" in os.environ, flush=True)
        os._exit(0)
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(method, sum(pool.map(work, range(8))), flush=True)
    for _ in range(10):
        child = os.fork()
        if child == 0:
            os._exit(work(0) % 7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), end=" ", flush=True)
    out = subprocess.run(["sh", "-c", "echo $LD_PRELOAD$_NILOMETER_CAPTURE"], capture_output=True, text=True)
    print("child sees", out.stdout.strip().count(".so"), out.stdout.strip().count(".nilo"), flush=True)
    os.execv(sys.executable, [sys.executable, __file__, "again"])
