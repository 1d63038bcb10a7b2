"""The native module. Only `cli`, `read` and `page` raise; what cannot be recorded is counted."""

from collections.abc import Callable
from types import FrameType, ModuleType

def start(path: str) -> bool:
    """Join the capture and begin to record. False if that is not possible; the program goes on unrecorded."""

def start_child(path: str, run: str) -> bool:
    """As `start`, in a child of the program: also makes the capture if it is not there, and after a fork."""

def make(path: str, overwrite: bool, pause_ms: int | None) -> str | None:
    """Make a capture and begin to record into it; otherwise the reason. `pause_ms`: the longest look."""

def stop(look: bool = True) -> None:
    """End the recording, perhaps with a last look and reading; the program goes on, another may begin."""

def start_recorder(library: str, capture: str, settings: str) -> str | None:
    """Load the recorder into this process, and record into the capture, which is there; else the reason.

    Settings are those of `_NILOMETER_RECORDER`. It may come once more after a stop.
    """

def stop_recorder() -> None:
    """End what `start_recorder` began and put everything back. A recorder from before the program stays."""

def cycle(unit: int) -> None:
    """A cycle of the unit with this number has ended."""

def cycle_of(unit: int, name: str) -> None:
    """A cycle of the unit with this number has ended, of the endpoint with this name."""

def served(method: str, place: str, is_route: bool) -> None:
    """A request was served: of a route, or else of a path. Health checks do not count."""

def cycle_exactly(unit: int, read: bool, look: bool) -> None:
    """A cycle of this unit has ended; it is read, or looked at, as is wanted, whatever that costs."""

def stop_clock() -> None:
    """No reading by the clock comes any more in this recording."""

def phase_begin(name: str, is_part: bool = False) -> None:
    """A phase begins on this thread; one that is told as part of the phase around it gets no reading."""

def phase_end(name: str, is_part: bool = False) -> None:
    """A phase ends on this thread."""

def importing(begins: bool) -> None:
    """A framework begins to be imported, or has been."""

def step() -> None:
    """Count one batch."""

def fact(key: str, value: str) -> None:
    """State a fact about the program; lists are JSON."""

def know_code(standard: str, ours: str, own: str) -> None:
    """The folders of the standard library and of this package, and the packages that are the user's own."""

def frameworks() -> list[str]:
    """Names of packages that are nobody's own wherever they lie, unless `know_code` named them."""

def learn_module(name: str, file: str) -> None:
    """Where a module was imported from: so a framework outside of the packages' folder is known."""

def holder_path(path: str) -> tuple[str, str, str]:
    """The function that a holder's path begins in, what has its last name, and that name; each may be empty.

    `main(): app.jobs[*]` is `main`, `app`, `jobs`; `train(): rows[*]` is `train`, nothing, `rows`.
    """

def is_users(file: str) -> bool:
    """Whether a file of code is the user's: the one rule, of crates/model."""

def probe(name: str, value: int) -> None:
    """A count at the end of a cycle; to be said when it changed."""

def trace(function: str, place: tuple[str, int], nth: int, why: str, caller: tuple[str, int]) -> None:
    """A tf.function defined at `place` was traced for the `nth` time because of `why`, called at `caller`."""

def child(pid: int, role: str) -> None:
    """Name a process that the program started."""

def census() -> None:
    """Look now at who holds the program's memory, and write it down."""

def watch_printed() -> bool:
    """Count the kinds of lines that the program prints. False where this Python cannot be watched."""

def line(text: str) -> None:
    """Count a line that went elsewhere than to the screen."""

def turn(key: int, place: str) -> None:
    """The loop with this key, at `place` (file and line), has turned."""

def turns(key: int, place: str, count: int) -> None:
    """So many turns of that loop are over since the last time; the reading of this tick is theirs."""

def know_iterators(samples: list[tuple[object, int, int]]) -> int:
    """Learn how positions of iterators are read, from new ones of three elements: an offset in bytes, and
    whether what stands there rises (1), falls (-1) or names the iterators of a `zip` (0). How many can be."""

def place_of(frame: FrameType, inner: FrameType | None, is_outermost: bool) -> bool | tuple[int, int, int]:
    """Where a frame of the main thread stands: true where it comes once and calls `inner` once; where it is
    in a loop that nothing repeats, its head in bytes, its iterator, its turns that are over. Else false."""

def at_ticks(call: Callable[[], object]) -> None:
    """Call this at ticks of the clock, between two instructions of the main thread."""

def read_now() -> int | None:
    """Live bytes now, read exactly and whatever it costs: for callers who mark few, known moments."""

def device_figures(kind: str = "GPU") -> list[tuple[int, int, int, int, int, int]]:
    """What allocators of device memory say now, not recorded: 0 TensorFlow, 1 PyTorch, 2 JAX; the device;
    bytes in use, at most, taken, and that may be taken. `kind` is that of TensorFlow's devices: tests have
    no GPU, but a processor."""

def lost(what: str) -> None:
    """Count something that could not be recorded."""

def before_fork() -> None:
    """For `os.register_at_fork`: end the ticker, so that the program forks with its own threads only."""

def after_fork_parent() -> None:
    """For `os.register_at_fork`: start the ticker again."""

def after_fork_child() -> None:
    """For `os.register_at_fork`: stop recording, the capture is the parent's."""

def follow_forks(template: str, run: str, command: str) -> bool:
    """Forked children record themselves at `template` from now on, once old enough. False if they cannot."""

def wait_after_fork() -> None:
    """In a forked child, after `after_fork_child`: begin to wait for that age."""

def is_recording() -> bool:
    """Whether this process is recorded."""

def code_ended() -> None:
    """For `threading`: the program's own code has ended; exit handlers have kept what they keep."""

def before_exit() -> None:
    """For `atexit`: the program's own code has ended. Ends the ticker for good."""

def before_exit_collection() -> None:
    """For a callback of `gc`: Python's last full collection begins; exit handlers are gone by now."""

def after_exit_collection() -> None:
    """For a callback of `gc`: Python has made its last full collection."""

def cli(argv: list[str], python: str, flags: list[str]) -> int:
    """Run the command line, without the GIL; gives the exit code."""

def read(path: str) -> dict[str, str]:
    """The report of a file, made without the GIL: `report` as JSON, `brief` as text, `card` as HTML. Where
    there is none: `refused` (`missing`, `not_a_capture`, `newer`, `damaged`, `other`), `what` and `hint`."""

def page(path: str, redact: bool) -> dict[str, str]:
    """The report of a file as a page, made without the GIL: `page`. Where there is none: as `read` has it."""

class Guard:
    """What counts against the limits of this process, and whether the rule says to act."""

    def __init__(self, limit: int | None) -> None: ...
    def epoch_ended(self, reserve: int) -> tuple[bool, str] | None:
        """Take in the end of an epoch: whether to act, and the numbers in words. None where nothing is seen,
        or the look before was just now."""

    def again(self, reserve: int) -> tuple[bool, str] | None:
        """Judge the same end again, after something was given back."""

    def resident(self) -> tuple[int, int] | None:
        """Resident memory of this process now, and its highest so far: bytes."""

class Import:
    """Stands in a loader's `exec_module`: runs it with no Python frame of ours around it."""

    def __init__(
        self,
        original: Callable[[ModuleType], object],
        before: Callable[[], object],
        after: Callable[[ModuleType, bool], object],
    ) -> None: ...
    def __call__(self, module: ModuleType) -> object: ...
