"""A real kernel, in which tests run cells as a person would."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ipykernel")

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager
from nilometer.jupyter import install

PATIENCE = 120  # seconds until a hang is called one


class Kernel:
    """A kernel that runs; `capture` is where it is recorded."""

    def __init__(self, argv: list[str], folder: Path, capture: Path | None) -> None:
        class Manager(KernelManager):  # type: ignore[misc, unused-ignore]
            @property
            def kernel_spec(self) -> KernelSpec:
                return KernelSpec(argv=argv, language="python", display_name="of a test")

        self.capture = capture
        self._manager = Manager()
        # The history of a person's notebooks is no business of a test.
        self._manager.start_kernel(cwd=str(folder), extra_arguments=["--HistoryManager.enabled=False"])
        self._client = self._manager.client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=PATIENCE)

    def run(self, *cells: str) -> dict[str, str]:
        """Runs the cells; what the last of them showed: `text`, `html`, `printed`, `error`."""
        shown: dict[str, str] = {}
        for cell in cells:
            shown = {"text": "", "html": "", "printed": "", "error": ""}

            def hear(message: dict[str, Any], shown: dict[str, str] = shown) -> None:
                content = message["content"]
                if message["msg_type"] == "stream":
                    shown["printed"] += content["text"]
                elif message["msg_type"] in ("execute_result", "display_data"):
                    shown["text"] += content["data"].get("text/plain", "")
                    shown["html"] += content["data"].get("text/html", "")
                elif message["msg_type"] == "error":
                    shown["error"] = content["ename"]

            self._client.execute_interactive(cell, timeout=PATIENCE, output_hook=hear)
        return shown

    def end(self) -> None:
        self._client.stop_channels()
        self._manager.shutdown_kernel()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """The kernel that `nilometer jupyter install` makes."""
    folder = tmp_path_factory.mktemp("recorded")
    capture = folder / "notebook.nilo"
    argv = [str(capture) if word.endswith(".nilo") else word for word in install.spec()["argv"]]
    kernel = Kernel(argv, folder, capture)
    yield kernel
    kernel.end()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """Any kernel, into which the extension is loaded."""
    import sys

    folder = tmp_path_factory.mktemp("plain")
    kernel = Kernel([sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"], folder, None)
    shown = kernel.run("%load_ext nilometer")
    assert shown["error"] == ""
    yield kernel
    kernel.end()
