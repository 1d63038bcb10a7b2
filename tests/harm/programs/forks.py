"""Forks while C threads and Python threads allocate; each child allocates, and ends in one of three ways."""

import ctypes
import os
import sys
import threading

forks = int(sys.argv[1])
library = ctypes.CDLL(os.path.join(os.environ["HARM_LIBRARY"], "libthreads.so"))
library.busy_start(3)
end = threading.Event()


def busy() -> None:
    while not end.is_set():
        [bytearray(size) for size in (50, 500, 5000, 500_000)]


thread = threading.Thread(target=busy)
thread.start()
codes = []
for number in range(forks):
    pid = os.fork()
    if pid == 0:
        kept = [bytearray(3000) for _ in range(200)]
        del kept
        if number % 10 == 0:
            os.execv(sys.executable, [sys.executable, "-S", "-E", "-c", "raise SystemExit(7)"])
        os._exit(7)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(library.raw_forks(forks) == forks)
end.set()
thread.join()
library.busy_stop()
print(codes == [7] * forks)
