"""Four threads that do nothing but malloc and free: the worst for whoever stands in between."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.environ["BENCH_NATIVE"], "malloc_storm.so"))
assert library.malloc_storm(4, ctypes.c_long(40_000_000)) == 0
