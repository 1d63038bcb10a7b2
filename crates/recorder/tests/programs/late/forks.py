"""Forks while it is recorded. The child is not, until it starts a recorder of its own."""

import os
import sys

import door

keep = []


def in_child():
    for _ in range(2000):
        keep.append(bytes(5000))


def in_parent():
    for _ in range(2000):
        keep.append(bytes(5000))


assert door.start() is None
child = os.fork()
if child == 0:
    in_child()
    door.stop()
    in_child()
    if len(sys.argv) > 1:
        assert door.start(capture=sys.argv[1]) is None
        in_child()
    os._exit(7)
in_parent()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
os._exit(0)
