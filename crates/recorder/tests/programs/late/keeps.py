"""A program that runs before the recorder comes: blocks and threads from before, and what is kept after."""

import os
import threading

import door

before = [bytes(3000) for _ in range(3000)] + [object() for _ in range(30000)]
grown = [bytearray(5000) for _ in range(500)]
keep, begin, done = [], threading.Event(), threading.Barrier(5)


def of_thread():
    # It allocates before and after, so that what a thread keeps for itself is in use by then.
    own = [bytes(2000) for _ in range(100)]
    done.wait()
    begin.wait()
    for _ in range(2000):
        own.append(bytearray(2048))
    keep.append(own)
    done.wait()


def one_block():
    keep.append(bytearray(1 << 20))


def a_thousand_blocks():
    for _ in range(1000):
        keep.append(bytes(1024 - 33))


def small_objects():
    for _ in range(20000):
        keep.append(complex(1, 2))


def garbage():
    return len([bytes(3000) for _ in range(500)])


threads = [threading.Thread(target=of_thread) for _ in range(4)]
for thread in threads:
    thread.start()
done.wait()
assert door.start() is None
begin.set()
done.wait()
for thread in threads:
    thread.join()
del before
for block in grown:
    block.extend(bytes(4000))  # reallocs of what the recorder never saw
del grown[::2]
for _ in range(20):
    one_block()
    a_thousand_blocks()
    small_objects()
    garbage()
door.stop()
late = [bytes(4000) for _ in range(3000)]
del keep[::2]
child = os.fork()
if child == 0:
    os._exit(0)
print(os.waitpid(child, 0)[1], len(late))
