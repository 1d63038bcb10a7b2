"""Requests that no browser sends: damaged, endless, twisted. A seed makes the same ones each time.

In: a seed. Out: bytes. What must not happen here: a request that is in order and asks for what is there.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

METHODS = (b"GET", b"HEAD", b"POST", b"get", b"TRACE", b"CONNECT", b"PRI", b"G\0T", b"")
VERSIONS = (
    b"HTTP/1.1",
    b"HTTP/1.0",
    b"HTTP/0.9",
    b"HTTP/2.0",
    b"HTTP/1.1 x",
    b"http/1.1",
    b"",
    b"HTTP/9" * 50,
)
PATHS = (
    b"/../outside.nilo",
    b"/capture/..%2foutside.nilo",
    b"/capture/%2e%2e/%2e%2e/etc/passwd",
    b"/data/....//....//etc/passwd",
    b"/data/%00one.nilo",
    b"/events/one.nilo",
    b"/summary/%c0%ae%c0%ae%2foutside.nilo",
    b"/compare/one.nilo/../../outside.nilo",
    b"//127.0.0.1/list",
    b"http://127.0.0.1/list",
    b"*",
    b"/?token=" + b"0" * 32,
    b"/?token=" + b"f" * 10_000,
    b"/?token=%00&token=a&token",
    b"/" + b"a/" * 5000,
    b"/\xff\xfe",
    b"/list HTTP/1.1\r\nX: y",
    b"",
)
HEADERS = (
    b"Host: evil.example",
    b"Host: 127.0.0.1\r\nHost: evil.example",
    b"Host:",
    b"Cookie: nilometer-1=" + b"0" * 32,
    b"Cookie: " + b"a=b; " * 2000,
    b"Content-Length: 99999999999999999999",
    b"Content-Length: -1",
    b"Content-Length: 5\r\nContent-Length: 6",
    b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: chunked\r\nContent-Length: 3",
    b"Transfer-Encoding: \x0bchunked",
    b"Expect: 100-continue",
    b"Upgrade: websocket\r\nConnection: Upgrade",
    b"Connection: keep-alive",
    b"Range: bytes=0-99999999999",
    b"X: " + b"y" * 100_000,
    b" folded: x",
    b"no colon",
    b"X\x00Y: z",
    b"X: \x1b[2J",
    b"X: y\n\nGET /list HTTP/1.1",
)
BODIES = (
    b"",
    b"abcde",
    b"ffffffffffffffff\r\nabc\r\n",
    b"-1\r\n\r\n0\r\n\r\n",
    b"3\r\nabc\r\n0\r\n\r\nGET /list HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"\0" * 70_000,
)


def requests(seed: int, count: int) -> Iterator[bytes]:
    """So many requests; each kind of damage comes again and again."""
    chance = random.Random(seed)
    kinds = (_composed, _cut, _flipped, _noise)
    for at in range(count):
        yield kinds[at % len(kinds)](chance)


def _composed(chance: random.Random) -> bytes:
    line = b" ".join((chance.choice(METHODS[:4]), chance.choice(PATHS), chance.choice(VERSIONS[:3])))
    if chance.random() < 0.2:
        line = b" ".join((chance.choice(METHODS), chance.choice(PATHS), chance.choice(VERSIONS)))
    headers = chance.sample(HEADERS, chance.randrange(4))
    if chance.random() < 0.6:
        headers.insert(0, b"Host: 127.0.0.1")
    return b"\r\n".join([line, *headers, b"", chance.choice(BODIES)])


def _cut(chance: random.Random) -> bytes:
    whole = _composed(chance)
    return whole[: chance.randrange(len(whole) + 1)]


def _flipped(chance: random.Random) -> bytes:
    whole = bytearray(_composed(chance)[:4000])
    for _ in range(chance.randrange(1, 9)):
        whole[chance.randrange(len(whole))] = chance.randrange(256)
    return bytes(whole)


def _noise(chance: random.Random) -> bytes:
    return chance.randbytes(chance.randrange(1, 2000))
