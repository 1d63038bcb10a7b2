"""Keeps 8 kB of every round, among temporaries of its size and others, and counts its rounds as the marks do.

Threads make and drop memory meanwhile, and children are forked.
"""

import mmap
import os
import struct
import sys
import threading

# Where the header counts the cycles that somebody marks by hand.
REQUESTS = int(sys.argv[1])
ROUNDS = 80

keep = []
ended = threading.Event()


def temporaries():
    rows = [bytes(8000) for _ in range(9)]
    table = {number: str(number) * 3 for number in range(100_000)}
    return len(rows) + len(table)


def keeps_8k():
    keep.append(bytes(8000))


def beside():
    while not ended.wait(0.001):
        [bytearray(size) for size in range(16, 20_000, 160)]


with open(os.environ["_NILOMETER_CAPTURE"], "r+b") as file:
    header = mmap.mmap(file.fileno(), mmap.PAGESIZE)
threads = [threading.Thread(target=beside) for _ in range(2)]
for thread in threads:
    thread.start()
for number in range(1, ROUNDS + 1):
    temporaries()
    keeps_8k()
    if number % 40 == 0:
        child = os.fork()
        if child == 0:
            temporaries()
            keeps_8k()
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    header[REQUESTS : REQUESTS + 8] = struct.pack("=Q", number)
ended.set()
for thread in threads:
    thread.join()
# Not taken down, so that all of it is alive at the end.
os._exit(0)
