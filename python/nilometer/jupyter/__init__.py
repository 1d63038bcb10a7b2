"""Nilometer in a notebook: `%load_ext nilometer`.

In: an IPython shell. Out: a recording of its kernel, the ledger of its cells, and magics that show both.
Never: anything of IPython's but `events` and `register_magic_function`; a cell that fails or waits for us.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nilometer.jupyter.session import Session

_session: Session | None = None


def load(shell: Any) -> None:
    """Begins: a recording, if there is none, the ledger, the magics. A second call changes nothing."""
    global _session
    if _session is not None and _session.shell is shell:
        return
    from nilometer.jupyter.magics import NilometerMagics
    from nilometer.jupyter.session import Session

    _session = Session(shell)
    NilometerMagics(shell, _session).register()


def unload(shell: Any) -> None:
    """Ends what `load` began. A recording that `nilometer run` made goes on."""
    global _session
    if _session is not None and _session.shell is shell:
        _session.end()
        _session = None
