"""A callback for Keras: `model.fit(..., callbacks=[nilometer.keras.Memory()])`.

In: a `fit` of Keras 3 on any backend, of `tf.keras`, or of `tf_keras`. Out: two metrics in `logs`, the
verdict at the end.
Never: a method that is called per batch (Keras would call it, and might wait for the device); Keras imported
before the program did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nilometer.training.callback import TrainingCallback
from nilometer.training.watch import GROWTH, LIVE

_UNKNOWN = float("nan")


class Memory(TrainingCallback):
    """Says whether `fit` leaks memory: as metrics while it runs, as a verdict at its end.

    `on_leak` is `"warn"`, `"stop"` (also ends the training), or a function that gets the `Report`. `log` puts
    `nilometer/live_mib` and `nilometer/growth_mib_per_epoch` into `logs`; let it stand first in the list, so
    that the other callbacks see them. `log_to` names trackers whose active run gets the verdict and the page.
    `check_every` asks for a report every so many epochs, whatever it costs. `quiet` prints no verdict.
    `capture` and `overwrite` are those of `nilometer.start`.
    """

    __module__ = "nilometer.keras"  # where users find it, and where copies of it look for it
    _roots = {"keras": "callbacks.Callback", "tf_keras": "callbacks.Callback"}  # noqa: RUF012
    _framework = "Keras"
    _of_a_training = TrainingCallback._of_a_training | {"_model", "model", "params"}
    # Of Keras 2, whose own constructor does not run where both are imported.
    _supports_tf_logs = False
    _chief_worker_only = None
    validation_data = None

    if TYPE_CHECKING:
        model: Any

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Begins the recording, if none runs."""
        self._watch.begin("fit")

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Logs the metrics; asks for a report where it is time to."""
        self._watch.epoch_ended()
        if self._options.log and logs is not None:
            # A file of columns (CSVLogger) fixes them at the first epoch: both are always there.
            logs.update({LIVE: _UNKNOWN, GROWTH: _UNKNOWN, **self._watch.metrics()})
        self._watch.log_directly(epoch)
        if self._watch.tell_leak():
            self.model.stop_training = True

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """Says the verdict."""
        self._watch.end()
        self._watch.tell_leak()
