"""The import hooks on frameworks made for the test: other versions, other hooks, broken installations."""

from __future__ import annotations

from pathlib import Path

from hook_runner import HIDES_FRAMES, Runner


def _package(run: Runner, files: dict[str, str]) -> dict[str, str]:
    root = run.folder / "frameworks"
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        for folder in path.relative_to(root).parents:
            init = root / folder / "__init__.py"
            if folder != Path(".") and not init.exists():
                init.write_text("")
        path.write_text(text)
    return {"PYTHONPATH": str(root)}


def test_missing_functions_are_a_loss_and_no_error(run: Runner) -> None:
    env = _package(run, {
        "keras/__init__.py": "__version__ = '9.9'\nimport keras.src.callbacks.callback_list",
        "keras/src/callbacks/callback_list.py": "class CallbackList:\n    def on_epoch_end(self): return 7\n",
        "keras/src/models/model.py": "x = 1\n",
        "keras/src/trainers/epoch_iterator.py": "class EpochIterator: pass\n",
    })  # fmt: skip
    program = (
        "import keras.src.models.model, keras.src.trainers.epoch_iterator\n"
        "from keras.src.callbacks.callback_list import CallbackList as C; print(C().on_epoch_end())"
    )
    ended = run(["-c", program], env)
    assert (ended.stdout, ended.stderr) == ("7\n", "")
    assert ended.cycles() == {"epoch": 1}
    assert ended.frameworks() == {"framework.keras": "9.9"}
    losses = ended.losses()
    assert "no CallbackList.on_train_begin in this version" in losses
    assert "hooks of keras.src.models.model: AttributeError" in losses
    assert len(losses) == len(set(losses))
    # What EpochIterator inherits from object is not its own constructor, and was not wrapped.
    assert "no EpochIterator.__init__ in this version" in losses


@HIDES_FRAMES
def test_failing_import_is_the_programs_own(run: Runner) -> None:
    env = _package(run, {"tensorflow/__init__.py": "def f():\n    raise OSError('broken wheel')\nf()\n"})
    program = (
        "import traceback\n"
        "for _ in range(2):\n"
        "    try:\n        import tensorflow\n    except OSError:\n        traceback.print_exc()\n"
        "import tensorflow\n"
    )
    (run.folder / "main.py").write_text(program)
    plain, ended = run.plain(["main.py"], env), run(["main.py"], env)
    assert (ended.code, ended.stdout, ended.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    assert ended.phases() == {"import": 3}
    assert ended.order("importing") == ["+importing", "-importing"] * 3


def test_absent_framework_is_absent(run: Runner) -> None:
    program = "try:\n    import jax\nexcept ModuleNotFoundError as e:\n    print(e, e.name)\nimport torch"
    plain, ended = run.plain(["-c", program]), run(["-c", program])
    assert (ended.code, ended.stdout, ended.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    assert ended.losses() == []


def test_frameworks_in_each_other_are_one_import(run: Runner) -> None:
    env = _package(run, {
        "keras/__init__.py": "import tensorflow\n__version__ = '3.0'\n",
        "tensorflow/__init__.py": "__version__ = '2.0'\n",
    })  # fmt: skip
    ended = run(["-c", "import keras, tensorflow"], env)
    assert ended.order("import", "importing") == ["+import", "+importing", "-importing", "-import"]
    assert ended.frameworks() == {"framework.keras": "3.0", "framework.tensorflow": "2.0"}


def test_an_import_hook_before_ours_is_told_as_a_loss(run: Runner) -> None:
    env = _package(run, {"keras/src/callbacks/callback_list.py": "class CallbackList: pass\n"})
    program = (
        "import sys\n"
        "from importlib.machinery import PathFinder\n"
        "class First:\n"
        "    find_spec = staticmethod(PathFinder.find_spec)\n"
        "sys.meta_path.insert(0, First)\n"
        "import keras.src.callbacks.callback_list\n"
    )
    ended = run(["-c", program], env)
    assert ended.losses() == ["Keras was imported by another import hook: its marks are missing"]


def test_loader_is_left_as_it_was(run: Runner) -> None:
    env = _package(
        run, {"keras/__init__.py": "print(sorted(vars(__spec__.loader)), __loader__ is __spec__.loader)"}
    )
    program = "import keras; print(sorted(vars(keras.__loader__)))"
    assert run(["-c", program], env).stdout == run.plain(["-c", program], env).stdout


def test_loader_that_cannot_be_wrapped(run: Runner) -> None:
    program = (
        "import sys\n"
        "from importlib.machinery import ModuleSpec\n"
        "class Loader:\n"
        "    __slots__ = ()\n"
        "    def create_module(self, spec): return None\n"
        "    def exec_module(self, module): module.answer = 42\n"
        "class Own:\n"
        "    @staticmethod\n"
        "    def find_spec(name, path=None, target=None):\n"
        "        return ModuleSpec(name, Loader()) if name == 'jax' else None\n"
        "sys.meta_path.append(Own)\n"
        "import jax; print(jax.answer)\n"
    )
    ended = run(["-c", program])
    assert (ended.stdout, ended.stderr) == ("42\n", "")
    assert ended.losses() == ["hooks of jax: its loader cannot be wrapped"]


def test_a_phase_that_comes_often_is_told_now_and_then(run: Runner) -> None:
    program = (
        "import nilometer\n"
        "for _ in range(2000):\n"
        "    with nilometer.phase('outer'):\n"
        "        with nilometer.phase('inner'): pass\n"
    )
    ended = run(["-c", program])
    phases = ended.phases()
    assert 512 <= phases["inner"] < 600
    assert 512 <= phases["outer"] < 600
    assert ended.facts()["phase.inner.count"] == "2000"


def test_marks_by_hand_without_nilometer(run: Runner) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(run.package.parent)!r})\n"
        "import asyncio, nilometer\n"
        "@nilometer.phase('a')\n"
        "async def waits():\n"
        "    'words'\n"
        "    return 5\n"
        "print(asyncio.run(waits()), waits.__doc__, asyncio.iscoroutinefunction(waits))\n"
        "for unit in ('request', 'month'):\n"
        "    try:\n        nilometer.cycle(unit)\n    except ValueError as error:\n        print(error)\n"
    )
    ended = run.plain(["-c", program])
    assert ended.stdout.splitlines() == ["5 words True", "unit must be 'step' or 'request', not 'month'"]


def test_a_child_and_its_name(run: Runner) -> None:
    program = (
        "import multiprocessing as mp\n"
        "if __name__ == '__main__':\n"
        "    with mp.get_context('fork').Pool(2) as pool:\n"
        "        print(sum(pool.map(abs, [-1, -2])))\n"
        "    spawned = mp.get_context('spawn').Process(target=print, args=('spawned',), name='mine')\n"
        "    spawned.start(); spawned.join()\n"
    )
    (run.folder / "main.py").write_text(program)
    ended = run(["main.py"])
    assert ended.stdout.split() == ["3", "spawned"]
    assert [role.split("-")[0] for _, _, role in ended.named("child")] == [
        "ForkPoolWorker",
        "ForkPoolWorker",
        "mine",
    ]
    assert len(ended.named("start")) == 1
