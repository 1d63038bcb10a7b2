"""A callback for the `Trainer` of transformers: `Trainer(..., callbacks=[nilometer.transformers.Memory()])`.

In: a `train()`. Out: two metrics in what is logged and in `state.log_history`; the verdict at the end.
Never: a method that is called per step; a recording in another process than the first one.
"""

from __future__ import annotations

from typing import Any

from nilometer.training.callback import TrainingCallback


class Memory(TrainingCallback):
    """Says whether `train()` leaks memory. The arguments are those of `nilometer.keras.Memory`.

    `log` adds the two metrics to what the trainer logs. `"stop"` only warns where several processes train:
    one of them cannot stop alone.
    """

    __module__ = "nilometer.transformers"  # where users find it, and where copies of it look for it
    _roots = {"transformers": "TrainerCallback"}  # noqa: RUF012
    _framework = "transformers"

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Begins the recording, if none runs."""
        if state.is_world_process_zero:
            self._watch.begin("trainer")

    def on_log(
        self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **kwargs: Any
    ) -> None:
        """Adds the metrics to what is logged."""
        self._watch.step_ended()
        metrics = self._watch.metrics()
        if self._options.log and metrics and logs is not None:
            logs.update(metrics)
            if state.log_history:
                state.log_history[-1].update(metrics)
        self._watch.log_directly(state.global_step, unit="train/global_step")
        self._tell(args, control)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Asks for a report where it is time to."""
        self._watch.epoch_ended()
        self._tell(args, control)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Says the verdict."""
        self._watch.end()
        self._watch.tell_leak()

    def _tell(self, args: Any, control: Any) -> None:
        if self._watch.tell_leak() and args.world_size == 1:
            control.should_training_stop = True
