"""Threads, with small stacks too, that allocate while others end, and daemon threads that the end of Python stops."""

import ctypes
import sys
import threading

stop = threading.Event()


def work():
    rows = []
    while not stop.is_set():
        rows.append([bytes(700), {"a": bytes(2000)}, str(len(rows)) * 50])
        if len(rows) > 200:
            rows.clear()


def brief():
    rows = [bytes(600 + number) for number in range(50)]
    return len(rows)


if sys.argv[1] == "small":
    threading.stack_size(64 << 10)
workers = [threading.Thread(target=work) for _ in range(4)]
for worker in workers:
    worker.start()
for _ in range(30):
    thread = threading.Thread(target=brief)
    thread.start()
    thread.join()
stop.set()
for worker in workers:
    worker.join()
stop.clear()
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
total = sum(len(bytes(number % 3000)) for number in range(200000))
print("done", total)
ends = getattr(ctypes.CDLL(None), "nilometer_recorder_python_ends", None)
if ends is not None:
    ends()
