"""Ends in the way that the argument names, while C threads, a daemon thread and a pool still allocate."""

import atexit
import ctypes
import os
import signal
import sys
import threading

how = sys.argv[1]
library = ctypes.CDLL(os.path.join(os.environ["HARM_LIBRARY"], "libthreads.so"))
library.busy_start(3)


def busy() -> None:
    kept = []
    while True:
        kept = [bytearray(size) for size in (50, 500, 5000, 500_000)] + kept[:100]


def last() -> None:
    print("last words", len([bytearray(1000) for _ in range(10_000)]), flush=True)


class Lingers:
    def __del__(self) -> None:
        self.made = [bytearray(1000) for _ in range(1000)]


atexit.register(last)
lingers = Lingers()
lingers.itself = lingers
for _ in range(3):
    threading.Thread(target=busy, daemon=True).start()
print("before", flush=True)
if how == "os_exit":
    os._exit(5)
elif how == "sys_exit":
    sys.exit(6)
elif how == "abort":
    os.abort()
elif how == "terminated":
    os.kill(os.getpid(), signal.SIGTERM)
elif how == "segfault":
    os.kill(os.getpid(), signal.SIGSEGV)
elif how == "c_exit":
    ctypes.CDLL(None).exit(8)
elif how == "raises":
    raise RuntimeError("at the end")
elif how == "execs":
    os.execv(sys.executable, [sys.executable, "-c", "print(len(bytearray(10**7))); raise SystemExit(9)"])
elif how == "thread_execs":
    command = [sys.executable, "-c", "print(len(bytearray(10**7))); raise SystemExit(9)"]
    thread = threading.Thread(target=os.execv, args=(sys.executable, command))
    thread.start()
    thread.join()
