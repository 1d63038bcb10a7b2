"""What is wrapped in KerasTuner: trials of a search.

In: the module of its tuners, under its old name or its new one. Out: one cycle per trial.
Never: two cycles for one trial.
"""

from __future__ import annotations

from nilometer.hooks import cycles, marks
from nilometer.hooks.wrapping import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


def install(name: str, module: ModuleType) -> None:
    """Wraps what runs a trial."""
    # The method that users may override, `on_trial_end`, need not call its parent's. One of the two
    # modules may hand on the class of the other.
    if module.BaseTuner.__module__ == name:
        replace(module.BaseTuner, "_try_run_and_update_trial", cycles.wrap_each(marks.TRIAL))
