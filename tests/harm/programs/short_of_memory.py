"""Allocates until it is refused, then goes on working."""

kept = []
try:
    while True:
        kept.append(bytearray(10_000_000))
except MemoryError:
    print("refused after some", len(kept) > 3)
small = []
try:
    while True:
        small.append([bytes(300) for _ in range(1000)])
except MemoryError:
    del small
    print("refused small ones too")
del kept
print(sum(len(bytes(1000)) for _ in range(10_000)))
