"""A small client for a Chromium that is there already: DevTools messages over a pipe, nothing to install.

In: the path of a browser. Out: pages that can be opened, read, pressed and photographed. What must not happen
here: a download, a page that reaches the network, a browser that outlives the test.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "chromium-headless-shell",
)
PATIENCE = 60.0  # seconds for one answer; a machine under load is slow, a browser that hangs is a failure


def find_browser() -> str | None:
    """The browser that CHROMIUM names, else one on the path."""
    named = os.environ.get("CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A headless browser, ended with the `with` block."""

    def __init__(self, path: str) -> None:
        self.profile = tempfile.mkdtemp(prefix="nilometer-browser-")
        to_read, self.to_browser = os.pipe()
        self.from_browser, to_write = os.pipe()
        arguments = [
            path,
            "--headless=new",
            "--remote-debugging-pipe",
            "--no-sandbox",  # tests run as root in containers; the pages are our own
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            # No page of ours may want the network; what `nilometer serve` gives is on this machine.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            "--hide-scrollbars",
            "--disable-renderer-backgrounding",
            "--disable-backgrounding-occluded-windows",
            f"--user-data-dir={self.profile}",
            "about:blank",
        ]
        # The browser reads its orders from descriptor 3 and answers on 4, both in use here for other things.
        high = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_read, to_write)]

        def hand_over() -> None:
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            arguments,
            close_fds=False,  # what Python opened does not pass to children anyway; 3 and 4 must
            preexec_fn=hand_over,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in high:
            os.close(end)
        os.close(to_read)
        os.close(to_write)
        self.last = 0
        self.pending = b""
        self.answers: dict[int, dict[str, Any]] = {}
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        shutil.rmtree(self.profile, ignore_errors=True)

    def send(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """One order and its answer."""
        self.last += 1
        message: dict[str, Any] = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        number = self.last
        self.read_until(lambda: number in self.answers, method)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error'].get('message')}")
        result: dict[str, Any] = answer["result"]
        return result

    def read_until(self, done: Any, what: str) -> None:
        """Takes in messages until `done()`."""
        deadline = time.monotonic() + PATIENCE
        while not done():
            ready, _, _ = select.select([self.from_browser], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError(f"the browser did not answer: {what}")
            data = os.read(self.from_browser, 1 << 16)
            if not data:
                raise RuntimeError(f"the browser ended: {what}")
            *messages, self.pending = (self.pending + data).split(b"\0")
            for message in map(json.loads, messages):
                if "id" in message:
                    self.answers[message["id"]] = message
                else:
                    self.events.append(message)

    def open(
        self, file: Path, width: int = 1200, height: int = 900, *, dark: bool = False, scripts: bool = True
    ) -> Page:
        """Opens a file and waits until the page says that it is whole."""
        return self.visit(file.resolve().as_uri(), width, height, dark=dark, scripts=scripts)

    def visit(
        self, url: str, width: int = 1200, height: int = 900, *, dark: bool = False, scripts: bool = True
    ) -> Page:
        """The same by an address."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, target, session)
        for domain in ("Page", "Runtime", "Log"):
            page.send(f"{domain}.enable")
        page.send("Page.bringToFront")
        page.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        page.send("Emulation.setEmulatedMedia", features=features)
        if not scripts:
            page.send("Emulation.setScriptExecutionDisabled", value=True)
        page.send("Page.navigate", url=url)
        self.read_until(lambda: page.saw("Page.loadEventFired"), f"open {url}")
        if scripts:
            page.wait("document.documentElement.dataset.ready === 'yes'")
        return page


class Page:
    """An open page."""

    def __init__(self, browser: Browser, target: str, session: str) -> None:
        self.browser, self.target, self.session = browser, target, session

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self.browser.send(method, self.session, **parameters)

    def saw(self, method: str) -> list[dict[str, Any]]:
        """Events of this page."""
        mine = [event for event in self.browser.events if event.get("sessionId") == self.session]
        return [event["params"] for event in mine if event["method"] == method]

    def read(self, expression: str) -> Any:
        """The value of an expression, as plain data; promises are waited for."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression: str) -> None:
        """Waits until an expression is true."""
        wait = f"""new Promise((yes, no) => {{
            const end = performance.now() + {PATIENCE * 1000};
            const look = () => {{
                if ({expression}) yes(true);
                else if (performance.now() > end) no(new Error("waited too long"));
                else setTimeout(look, 10);
            }};
            look();
        }})"""
        self.read(wait)

    def texts(self, selector: str) -> list[str]:
        found: list[str] = self.read(
            f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.textContent)"
        )
        return found

    def text(self, selector: str) -> str:
        return " ".join(self.texts(selector))

    def press(self, key: str, text: str | None = None) -> None:
        """A key, as a person presses it: `ArrowDown`, `Enter`, `a`."""
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "Backspace": 8, " ": 32}
        arrows = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35}
        code = {**codes, **arrows, "PageUp": 33, "PageDown": 34}.get(key, ord(key[0]))
        said = text or ("\r" if key == "Enter" else key if len(key) == 1 else None)
        down = {"text": said} if said else {}
        self.send(
            "Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code, **down
        )
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def type(self, text: str) -> None:
        self.send("Input.insertText", text=text)

    def focus(self, selector: str) -> None:
        self.read(f"document.querySelector({json.dumps(selector)}).focus()")

    def place(self, selector: str) -> tuple[float, float, float, float]:
        """Left, top, width and height of an element on the screen, after it was scrolled to."""
        expression = f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{ block: "center" }});
            const box = element.getBoundingClientRect();
            return [box.left, box.top, box.width, box.height];
        }})()"""
        left, top, width, height = self.read(expression)
        return left, top, width, height

    def point(self, x: float, y: float) -> None:
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, selector: str) -> None:
        left, top, width, height = self.place(selector)
        self.click_at(left + width / 2, top + height / 2)

    def click_at(self, x: float, y: float) -> None:
        self.point(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def click_text(self, selector: str, words: str) -> None:
        """Clicks the element that says just these words."""
        mark = f"""(() => {{
            for (const one of document.querySelectorAll("[data-wanted]")) delete one.dataset.wanted;
            const all = [...document.querySelectorAll({json.dumps(selector)})];
            const element = all.find((one) => one.textContent.trim() === {json.dumps(words)});
            if (element) element.dataset.wanted = "yes";
            return Boolean(element);
        }})()"""
        assert self.read(mark), f"nothing in {selector} says {words!r}"
        self.click("[data-wanted]")

    def lead(self, press: Callable[[], None]) -> None:
        """Presses what leads to another page, and waits until that is whole."""
        before = len(self.saw("Page.loadEventFired"))
        press()
        self.browser.read_until(lambda: len(self.saw("Page.loadEventFired")) > before, "another page")
        self.wait("document.documentElement.dataset.ready === 'yes'")

    def complaints(self) -> list[str]:
        """What stands in the console: errors, violations of the policy, warnings."""
        self.read("1")  # what was said before has come when this is answered
        thrown = [event["exceptionDetails"]["text"] for event in self.saw("Runtime.exceptionThrown")]
        logged = [event["entry"]["text"] for event in self.saw("Log.entryAdded")]
        said = [str(event["args"]) for event in self.saw("Runtime.consoleAPICalled")]
        return thrown + logged + said

    def photograph(self, to: Path, *, whole: bool = True, clip: dict[str, float] | None = None) -> None:
        """Writes a PNG of the whole page, of what is on the screen, or of a part of the page."""
        parameters: dict[str, Any] = {"format": "png", "captureBeyondViewport": whole or clip is not None}
        if clip is not None:
            parameters["clip"] = {**clip, "scale": 1}
        to.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", **parameters)["data"]))

    def pdf(self) -> bytes:
        return base64.b64decode(self.send("Page.printToPDF", printBackground=True)["data"])

    def close(self) -> None:
        self.browser.send("Target.closeTarget", targetId=self.target)
