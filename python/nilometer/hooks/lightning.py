"""What is wrapped in Lightning (`lightning.pytorch` and `pytorch_lightning`) and in transformers' `Trainer`.

In: one of their modules that was just imported. Out: epochs, and calls of the trainer.
Never: a callback or a logger put among the program's own.
"""

from __future__ import annotations

from nilometer.hooks import cycles, marks
from nilometer.hooks.wrapping import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

_CALLS = (
    ("fit", marks.FIT),  # Lightning
    ("train", marks.FIT),  # transformers
    ("validate", marks.EVALUATE),
    ("test", marks.EVALUATE),
    ("evaluate", marks.EVALUATE),
    ("predict", marks.PREDICT),
)


def install(name: str, module: ModuleType) -> None:
    """Wraps what `module`, imported as `name`, has for us."""
    kind = name.rpartition(".")[2]
    if kind == "fit_loop":
        replace(module._FitLoop, "on_advance_end", cycles.wrap_each(marks.EPOCH))
    elif kind == "trainer_callback":
        replace(module.CallbackHandler, "on_epoch_end", cycles.wrap_each(marks.EPOCH))
    elif kind == "trainer":
        for method, unit in _CALLS:
            # What one of the two lacks the other has.
            replace(module.Trainer, method, cycles.wrap_outermost(unit, "trainer"), needed=False)
