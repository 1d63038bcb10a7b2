"""MLflow and Weights & Biases: where a run of theirs goes on, it gets the verdict and the page.

In: their modules, if the program imported them, and a report. Out: metrics, a word, a page in their run.
Never: an import of theirs; a run that begins because of us.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from nilometer.api import Report

VERDICT_TAG = "nilometer.verdict"
FOLDER = "nilometer"
PAGE = "nilometer.html"


class Run(Protocol):
    """A run of a tracker."""

    def metrics(self, values: Mapping[str, float], step: int, unit: str) -> None:
        """Logs these at this step, of what `unit` names."""

    def verdict(self, report: Report, page: Path) -> None:
        """Says the verdict, and keeps the page."""


class MlflowRun:
    """A run of MLflow, by its client."""

    def __init__(self, client: Any, run_id: str) -> None:
        self._client = client
        self._run_id = run_id

    def metrics(self, values: Mapping[str, float], step: int, unit: str) -> None:
        """Logs these at this step, of what `unit` names."""
        for name, value in values.items():
            self._client.log_metric(self._run_id, name, value, step=step)

    def verdict(self, report: Report, page: Path) -> None:
        """A tag, and an artifact in a folder of ours."""
        self._client.set_tag(self._run_id, VERDICT_TAG, report.verdict)
        self._client.log_artifact(self._run_id, str(page), FOLDER)


class WandbRun:
    """A run of Weights & Biases."""

    def __init__(self, wandb: Any, run: Any) -> None:
        self._wandb = wandb
        self._run = run

    def metrics(self, values: Mapping[str, float], step: int, unit: str) -> None:
        """Logs these. The run counts steps itself; those that it was told already cannot be told again."""
        self._run.log({**values, unit: step})

    def verdict(self, report: Report, page: Path) -> None:
        """A word in the run's summary, and a panel that shows the page."""
        self._run.summary["nilometer/verdict"] = report.verdict
        with page.open(encoding="utf-8") as text:
            shown = self._wandb.Html(text, inject=False)
        # With what is logged next: the page needs no step of its own.
        self._run.log({"nilometer/report": shown}, commit=False)


def active(name: str) -> Run | None:
    """The run of this tracker that goes on in this process, if there is one."""
    module: Any = sys.modules.get(name)
    if module is None:
        return None
    if name == "mlflow":
        run = module.active_run()
        return None if run is None else MlflowRun(module.MlflowClient(), run.info.run_id)
    return None if module.run is None else WandbRun(module, module.run)


def publish(report: Report, runs: Sequence[Run]) -> None:
    """Gives each run the verdict and the page."""
    if not runs:
        return
    with tempfile.TemporaryDirectory(prefix="nilometer-") as folder:
        page = Path(folder, PAGE)
        report.to_html(page)
        for run in runs:
            run.verdict(report, page)
