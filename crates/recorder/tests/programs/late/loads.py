"""Loads a library when the recorder has begun, unloads it, and loads it again."""

import ctypes
import os
import sys
import time
from _ctypes import dlclose

import door

LAZY, COUNT = 1, 500


def load(mode):
    library = ctypes.CDLL(sys.argv[1], mode)
    library.keeps_blocks.restype = ctypes.c_void_p
    library.gives_back.argtypes = ctypes.c_void_p, ctypes.c_int
    return library


assert door.start() is None
for mode in (os.RTLD_NOW, LAZY):
    library = load(mode)
    door.follow()
    blocks = library.keeps_blocks(COUNT)
    time.sleep(0.4)  # what dies young leaves nothing
    library.gives_back(blocks, COUNT)
    dlclose(library._handle)
    door.follow()
library = load(LAZY)
door.follow()
kept = library.keeps_blocks(COUNT)
door.stop()
library.gives_back(kept, COUNT)
print("done")
