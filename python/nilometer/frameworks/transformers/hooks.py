"""What is wrapped in the `Trainer` of transformers.

In: one of its modules that was just imported. Out: epochs, and calls of the trainer.
Never: a callback put among the program's own.
"""

from __future__ import annotations

from nilometer.hooks import cycles, marks
from nilometer.hooks.wrapping import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

_CALLS = (("train", marks.FIT), ("evaluate", marks.EVALUATE), ("predict", marks.PREDICT))


def install(name: str, module: ModuleType) -> None:
    """Wraps what `module`, imported as `name`, has for us."""
    if name.endswith(".trainer_callback"):
        replace(module.CallbackHandler, "on_epoch_end", cycles.wrap_each(marks.EPOCH))
        return
    for method, unit in _CALLS:
        replace(module.Trainer, method, cycles.wrap_outermost(unit, "trainer"), needed=False)
