"""Goes into a sandbox and works on in it."""

import ctypes
import os
import threading

library = ctypes.CDLL(os.path.join(os.environ["HARM_LIBRARY"], "libno_more_files.so"))
kept = [bytearray(2000) for _ in range(1000)]
print(library.enter_sandbox())


def work() -> None:
    # Of many different sizes and lines, so that there is much to write down.
    kept.extend(bytes(size) for size in range(30_000))
    kept.extend([str(size) * 50] for size in range(30_000))


threads = [threading.Thread(target=work) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(kept))
try:
    os.open("/etc/hostname", os.O_RDONLY)
except PermissionError:
    print("still shut")
