"""Starts and stops at any moment, while threads allocate, fork, come and go, and libraries are loaded."""

import ctypes
import os
import random
import sys
import threading
import time
from _ctypes import dlclose

import door

LIBRARY, ROUNDS = sys.argv[1], int(sys.argv[2])
ends = threading.Event()


def until_the_end(work):
    def loop():
        while not ends.is_set():
            work()

    return threading.Thread(target=loop)


kept = {}


def churn():
    kept[random.randrange(800)] = bytearray(random.randrange(20000))
    kept.pop(random.randrange(800), None)
    return [complex(1, number) for number in range(200)]


def load():
    # Where one library was, the code of another comes to lie.
    library = ctypes.CDLL(LIBRARY, random.choice([1, 2]))
    library.keeps_blocks.restype = ctypes.c_void_p
    library.gives_back.argtypes = ctypes.c_void_p, ctypes.c_int
    library.gives_back(library.keeps_blocks(50), 50)
    dlclose(library._handle)


follows = ctypes.CDLL(door.library._name).nilometer_recorder_follow  # as the ticker, without the GIL


def follow():
    follows()
    time.sleep(0.002)


def fork():
    child = os.fork()
    if child == 0:
        made = [bytes(3000) for _ in range(500)]
        os._exit(len(made) - 500)
    assert os.waitpid(child, 0)[1] == 0
    time.sleep(0.01)


def begin_a_thread():
    thread = threading.Thread(target=lambda: [bytes(9000) for _ in range(200)])
    thread.start()
    thread.join()


threads = [until_the_end(work) for work in (churn, churn, load, follow, fork, begin_a_thread)]
for thread in threads:
    thread.start()
for _ in range(ROUNDS):
    why = door.start()
    assert why is None, why
    time.sleep(random.random() * 0.02)
    door.stop()
ends.set()
for thread in threads:
    thread.join()
assert not door.to_recorder()
print("done")
