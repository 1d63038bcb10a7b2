"""A callback for Lightning: `Trainer(callbacks=[nilometer.lightning.Memory()])`.

In: a `fit` of `lightning.pytorch` or `pytorch_lightning`. Out: two metrics, logged as the module logs its
own; the verdict at the end.
Never: a hook that is called per batch; a recording on another rank than the first one.
"""

from __future__ import annotations

from typing import Any

from nilometer.training.callback import TrainingCallback
from nilometer.training.trackers import MlflowRun, Run, active


class Memory(TrainingCallback):
    """Says whether `fit` leaks memory. The arguments are those of `nilometer.keras.Memory`.

    `log` logs the two metrics by the module's `log`, so that loggers and other callbacks have them.
    """

    __module__ = "nilometer.lightning"  # where users find it, and where copies of it look for it
    _roots = {"lightning.pytorch": "Callback", "pytorch_lightning": "Callback"}  # noqa: RUF012
    _framework = "Lightning"

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        """Begins the recording, if none runs."""
        if trainer.is_global_zero:
            self._watch.begin("trainer")

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        """Logs the metrics; asks for a report where it is time to."""
        stops = False
        if trainer.is_global_zero:
            self._watch.epoch_ended()
            if self._options.log:
                for name, value in self._watch.metrics().items():
                    pl_module.log(name, value, on_step=False, on_epoch=True, rank_zero_only=True)
            self._watch.log_directly(trainer.current_epoch, self._runs(trainer))
            stops = self._watch.tell_leak()
        if self._options.on_leak == "stop":
            # All ranks ask, or those that do not would wait for the others.
            trainer.should_stop |= bool(trainer.strategy.reduce_boolean_decision(stops, all=False))

    def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
        """Says the verdict."""
        self._watch.end(self._runs(trainer))
        self._watch.tell_leak()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """Says the verdict of a training that broke off; its exception goes on."""
        self._watch.end(self._runs(trainer))

    def _runs(self, trainer: Any) -> list[Run]:
        """The runs of trackers; MLflow itself does not know of the one that Lightning's logger has."""
        found: list[Run] = []
        for name in self._options.log_to:
            run = active(name)
            if run is None and name == "mlflow":
                runs = [each for each in trainer.loggers if type(each).__name__ == "MLFlowLogger"]
                found += [MlflowRun(each.experiment, each.run_id) for each in runs]
            elif run is not None:
                found.append(run)
        return found
