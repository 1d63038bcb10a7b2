"""What the guard says: on stderr while the program runs, in its errors, in its losses.

In: numbers, names, folders and errors. Out: a sentence.
Never: a decision, or a word that is printed here.
"""

from __future__ import annotations

# Losses: what the guard could not do for the program.
NO_TRIM = "malloc_trim by the guard"


def no_random_states(error: Exception) -> str:
    """The framework's states of random numbers could not be read."""
    return f"random states of the framework: {type(error).__name__}"


# Errors of a loop of the program's own.
HOLDS = "a checkpoint holds numbers, text, None, arrays, lists, tuples and dictionaries"


def cannot_hold(value: object) -> str:
    """A value has no plain form."""
    return f"a checkpoint cannot hold {type(value).__module__}.{type(value).__qualname__}"


def other_version(folder: str) -> str:
    """The checkpoint has another form."""
    return f"{folder} holds a checkpoint of another version of nilometer"


# The reason for a stop that no limit made.
ASKED = "the program asked for it"


def cannot_start(error: Exception) -> str:
    """The guard refuses the program."""
    return f"cannot work in this program ({_said(error)}); it was not started"


def trains_together(tied: str) -> str:
    """The same, as one process must not stop alone."""
    return (
        f"refused: the model trains together with other processes ({tied}), which would wait for this one "
        "after a stop; use the framework's own checkpoints there"
    )


def refused(why: str) -> str:
    """A checkpoint cannot be used; `why` is one of the three below."""
    return f"{why}; nothing was trained. Remove the folder to begin at the first epoch"


def other_model(fit: int, folder: str) -> str:
    """The fit's model is not the one that was saved."""
    return f"fit {fit} of the program has another model than the checkpoint in {folder}"


def no_backup(folder: str, epoch: int) -> str:
    """The weights were in a backup of the program's own."""
    return (
        f"the checkpoint in {folder} needs the backup that BackupAndRestore made after epoch {epoch}, "
        "and that is not there any more"
    )


def does_not_fit(folder: str, error: Exception) -> str:
    """The checkpoint cannot be loaded."""
    return f"the checkpoint in {folder} does not fit ({_said(error)})"


def runs_again(fit: int) -> str:
    """A fit before the one that was stopped."""
    return f"fit {fit} of the program runs again, from its first epoch"


def goes_on(epoch: int, folder: str) -> str:
    """Training goes on where it was stopped."""
    return f"training goes on after epoch {epoch}, from {folder}"


def begin_anew(callbacks: list[str]) -> str:
    """Callbacks whose state is not in the checkpoint."""
    return f"callbacks of the program's own begin anew: {', '.join(callbacks)}"


def saving_takes(size: int, seconds: float, reserve: int) -> str:
    """What a checkpoint takes, in bytes and seconds, and the bytes that are kept free for it."""
    return f"a checkpoint has {_size(size)} and takes {seconds:.1f} s; {_size(reserve)} are kept free for it"


# Why a fit goes on without the guard: saving fails, at its beginning or when it is needed.
CANNOT_SAVE = "a checkpoint cannot be saved"


def cannot_save_now(why: str) -> str:
    """`why` is the rule's reason to stop."""
    return f"memory is near its limit ({why}) and {CANNOT_SAVE}"


def goes_without(what: str, error: Exception) -> str:
    """`what` is one of the two above."""
    return f"{what} ({_said(error)}); this fit goes on without the guard"


def collected(given_back: int, times: int) -> str:
    """A collection gave enough bytes back; `times` is how often that was so."""
    so_far = "" if times == 1 else f" ({times} times so far)"
    return (
        f"memory came near its limit; collecting garbage gave back {given_back >> 20} MiB, "
        f"training goes on{so_far}"
    )


def last_turn(why: str) -> str:
    """The stop in a loop of the program's own."""
    return f"this turn is the last that is safe; saved, the program ends here. {why}"


def last_epoch(epoch: int, why: str) -> str:
    """The stop in a fit."""
    return f"epoch {epoch} is the last that is safe; saved, the program ends here. {why}"


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _size(size: int) -> str:
    return f"{size / 2**20:.1f} MiB" if size >= 2**20 else f"{size / 2**10:.1f} KiB"
