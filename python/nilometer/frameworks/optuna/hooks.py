"""What is wrapped in Optuna: trials of a search.

In: one of its modules that was just imported. Out: one cycle per trial.
Never: two cycles for one trial.
"""

from __future__ import annotations

from nilometer.hooks import cycles, marks
from nilometer.hooks.wrapping import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def install(name: str, module: ModuleType) -> None:
    """Wraps what `module`, imported as `name`, has for us."""
    trial = cycles.wrap_each(marks.TRIAL)
    if name == "optuna.study._optimize":
        replace(module, "_run_trial", trial)
    else:
        replace(module.Study, "tell", trial)  # a loop by `ask` and `tell`; `optimize` does not come here
