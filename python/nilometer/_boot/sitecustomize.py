"""Runs at interpreter start, before the program: takes itself out of sight, then starts the recording.

In: the private environment that `nilometer run` gave this process, and this folder at the head of
`PYTHONPATH`.
Out: an interpreter that looks as if nothing had been there, with Nilometer's hooks installed.
Never: a traceback or a word on the program's screen, a changed `sys.path`, or a hidden real `sitecustomize`.
"""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _boot() -> None:
    import os

    environ = os.environ
    run = environ.get("_NILOMETER_CHILDREN")
    # Where children are recorded too, the environment stays as it is: they inherit it.
    take = environ.pop if run is None else environ.get
    template = take("_NILOMETER_CAPTURE", None)
    before = take("_NILOMETER_PYTHONPATH", "")
    was_set = take("_NILOMETER_PYTHONPATH_SET", "1") != "0"
    settings = take("_NILOMETER_RECORDER", None)
    preload = take("_NILOMETER_PRELOAD", None)
    own = take("_NILOMETER_OWN", None)
    trial = environ.pop("_NILOMETER_TRIAL", None)
    guard = take("_NILOMETER_GUARD", None)
    forks = environ.pop("_NILOMETER_FORKS", None)
    if template is not None and run is None:
        _put_back(environ, "PYTHONPATH", before if was_set else None)
        # The recorder has done this itself, before Python looked; unless it could not be loaded.
        if settings is not None:
            _, mark, old = settings.partition(",preload=")
            _put_back(environ, "LD_PRELOAD", old if mark else None)

    folder = os.path.dirname(__file__)
    if folder in sys.path:
        sys.path.remove(folder)
    sys.path_importer_cache.pop(folder, None)

    if template is None:
        return
    # Another process than the one the capture was made for (a helper that a .pth file started): stay away.
    if run is None and not os.path.exists(template.replace("{pid}", str(os.getpid()))):
        return
    _load_package(os.path.dirname(folder))
    from nilometer import _activate

    _activate.activate(template, folder, run, preload, settings, forks, own)
    if trial is not None:
        from nilometer import interventions

        interventions.begin(trial)
    if guard is not None:
        from nilometer import guard as guarding

        guarding.begin(guard)


def _put_back(environ: "Any", name: str, value: "str | None") -> None:
    if value is None:
        environ.pop(name, None)
    elif environ.get(name) != value:
        environ[name] = value


def _load_package(folder: str) -> None:
    """Imports `nilometer` from `folder` itself, whatever `sys.path` says and without touching it."""
    if "nilometer" in sys.modules:
        return
    # The two modules every interpreter has loaded: `importlib` proper would be one more in `sys.modules`.
    import _frozen_importlib as importing
    import _frozen_importlib_external as files

    spec: Any = files.spec_from_file_location(
        "nilometer", folder + "/__init__.py", submodule_search_locations=[folder]
    )
    module = importing.module_from_spec(spec)
    sys.modules["nilometer"] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop("nilometer", None)
        raise


try:  # noqa: SIM105 (contextlib is not worth its import here)
    _boot()
except Exception:
    # Nothing can be recorded from here, and nothing of ours may reach the screen.
    pass

# Now what `site` asked for: the real one further along the path. Where there is none this raises exactly the
# error that `site` expects, and the import system then forgets this module.
sys.modules.pop(__name__, None)
try:
    import sitecustomize as _real  # type: ignore[import-not-found]  # noqa: F401
except BaseException as error:
    # Where `site` shows the error of the real one, this frame is not in it.
    if error.__traceback__ is not None:
        BaseException.with_traceback(error, error.__traceback__.tb_next)
    raise
