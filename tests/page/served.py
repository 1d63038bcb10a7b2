"""`nilometer serve` as a test uses it: started, asked by hand, ended as a terminal ends it."""

from __future__ import annotations

import http.client
import signal
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

from pages import COMMAND, PATIENCE


class Served:
    """A server, ended with the `with` block."""

    def __init__(self, what: Path, *words: str) -> None:
        command = [*COMMAND, "serve", str(what), *words]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe)
        assert self.process.stdout
        self.link = self.process.stdout.readline().decode().strip()
        parts = urlsplit(self.link)
        assert parts.hostname, "it said no link"
        assert parts.port
        self.host, self.port, self.token = parts.hostname, parts.port, f"/?{parts.query}"
        self.cookie = ""

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def ask(
        self, path: str, host: str | None = None, method: str = "GET", *, cookie: bool = True
    ) -> tuple[int, http.client.HTTPMessage, str]:
        """Status, headers and body."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE)
        headers = {"Host": host or f"{self.host}:{self.port}"}
        if cookie and self.cookie:
            headers["Cookie"] = self.cookie
        try:
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def enter(self) -> None:
        """Uses the link, as a browser would."""
        status, headers, _ = self.ask(self.token)
        assert status == 303
        self.cookie = headers["Set-Cookie"].split(";")[0]

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)
