"""Python signal handlers that allocate at a high rate, while the program allocates too."""

import signal
import sys

number = getattr(signal, sys.argv[1])
timer = getattr(signal, sys.argv[2])
signals = int(sys.argv[3])
handled = 0
kept: list[bytes] = []


def handler(signum: int, frame: object) -> None:
    global handled
    handled += 1
    kept.append(bytes(handled % 3000))
    del kept[:-50]
    [object() for _ in range(100)]


signal.signal(number, handler)
signal.setitimer(timer, 0.0002, 0.0002)
right = 0
while handled < signals:
    data = [bytes([value]) * 700 for value in range(200)]
    right = sum(piece[699] == value for value, piece in enumerate(data))
signal.setitimer(timer, 0)
print(right, handled >= signals)
