"""What the magics show, and what `nilometer jupyter` says.

In: names of the person's, sizes that are put into words already, numbers, errors. Out: a line of words.
Never: a decision, or HTML.
"""

from __future__ import annotations

# Titles.
CHANGED_NOTHING = "Nothing changed"
WHO_HOLDS = "Who holds memory now"
LEFT_BY_CELLS = "What cells left"
# Who holds memory; by the first two a row is known again.
MORE_OUTPUTS = "more outputs"
OF_TRACEBACK = "of the last traceback"
NO_NAME = "no name of yours"
UNDER_NO_NAME = "under no name of yours"
# How to let go of it.
MUTE_LINE = "end the line with `;`"
FREE_OUTPUTS = "%nilometer_free Out"
FREE_TRACEBACKS = "%nilometer_free tracebacks"
CLOSE_FIGURES = "plt.close('all')"
CLOSE_WIDGETS = "widget.close(), or ipywidgets.Widget.close_all()"
SAY_WHAT = f"say what: {FREE_OUTPUTS}, or {FREE_TRACEBACKS}"

NOT_READ = "live memory cannot be read here: is this kernel recorded?"
REPORT_FAILED = "nilometer report failed"

# The command `nilometer jupyter`, and its hints.
COMMAND = "A kernel whose memory is recorded."
INSTALL = "Add the kernel to Jupyter"
UNINSTALL = "Take it out again"
FOR_USER = "for this user (this is the default)"
BELOW_FOLDER = "below this folder"
ITS_NAME = "the name of the kernel"
INSTALL_JUPYTER = "python -m pip install ipykernel"
INSTALL_OTHER_NAME = "nilometer jupyter install --name OTHER"
INSTALL_BELOW = "nilometer jupyter install --prefix FOLDER"
LIST_KERNELS = "jupyter kernelspec list"
REMOVE_KERNEL = "jupyter kernelspec remove NAME"


def live_changed(more: str, now: str) -> str:
    """A title; `more` has its sign."""
    return f"Live memory: {more} since the last look, {now} now"


def who_holds(live: str | None) -> str:
    """A title; None where live memory cannot be read."""
    return WHO_HOLDS if live is None else f"{WHO_HOLDS} ({live} live)"


def would_free(what: str) -> str:
    """A title above what would be freed."""
    return f"This would be freed; say %nilometer_free {what} --yes"


def freed(size: str | None) -> str:
    """A title above what was freed; None where live memory cannot be read."""
    return "Freed" if size is None else f"Freed: {size}"


def keeps_nothing(what: str) -> str:
    """There is nothing to be freed."""
    return f"the notebook keeps nothing of {what}"


def output(number: int, user: str | None) -> str:
    """A kept output; `user` is a name of the person's for the same thing."""
    return f"Out[{number}] (_{number})" + (f", which {user} is too" if user else "")


def in_traceback(name: str, function: str) -> str:
    """A variable of a frame that an error left."""
    return f"{name} in {function}() {OF_TRACEBACK}"


def whole_page(page: str) -> str:
    """Where it lies."""
    return f"The whole page: {page}"


def no_page(why: str) -> str:
    """`why` is what the command said."""
    return f"the page was not written: {why}"


def knows_html(given: str) -> str:
    """Of `%nilometer`."""
    return f"%nilometer knows --html, not {given}"


def knows_cycles(given: str) -> str:
    """Of `%%nilometer`."""
    return f"%%nilometer knows --cycles N, not {given}"


# A cell that is run again and again.
def judged(verdict: str, runs: int) -> str:
    """A title."""
    return f"{verdict}  in {runs} runs of this cell"


def per_run(estimate: str, low: str, high: str) -> str:
    """Growth with its interval."""
    return f"{estimate} per run (95 %: {low} to {high})"


def leaks(growth: str) -> str:
    """`growth` is said as above."""
    return f"live memory grows by {growth}"


def leaks_not(growth: str) -> str:
    """The same."""
    return f"no growth: {growth}"


def undecided(growth: str, more: int) -> str:
    """The same; so many runs might do."""
    return f"its runs differ too much: {growth}; ask for more, --cycles {more}"


def garbage(size: str) -> str:
    """Of one run."""
    return f"each run leaves {size} of garbage, which the collector takes back"


def after_each(steps: list[str]) -> str:
    """Sizes beside the first run's."""
    return f"after each run, beside the first: {', '.join(steps)}"


def too_few(runs: int, least: int) -> str:
    """Not worth a run."""
    return f"{runs} runs are too few to tell growth from a start: ask for {least} or more"


def ended_by(error: str) -> str:
    """The cell's own error, by its type."""
    return f"the cell ended by {error}"


def not_judged(why: str) -> str:
    """`why` is one of the three above, or the cell's."""
    return f"not judged: {why}"


# The kernel.
def no_jupyter(python: str) -> str:
    """There is nowhere to put it."""
    return f"Jupyter is not installed beside {python}"


def for_environment(folder: str) -> str:
    """Help of an option."""
    return f"for this environment, {folder}"


def another_kernel(folder: object) -> str:
    """It is not ours to change."""
    return f"{folder} is another kernel"


def no_kernel(name: str) -> str:
    """There is nothing to take out."""
    return f"there is no kernel {name} there"


def not_installed(error: Exception) -> str:
    """The folder cannot be written."""
    return f"the kernel was not installed: {error}"


def removed(folder: object) -> str:
    """It is done."""
    return f"removed {folder}"
