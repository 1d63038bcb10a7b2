"""Which runs of cells are told together: those of one source, with nothing in between that left memory."""

from __future__ import annotations

from nilometer.hooks.cells import LEFT_BETWEEN, Stretches

MUCH = 4 * LEFT_BETWEEN


def run(stretches: Stretches, *cells: tuple[str, int | None]) -> list[int]:
    """The stretch of each cell, which then leaves so much."""
    out = []
    for source, left in cells:
        out.append(stretches.begin(source))
        stretches.end(source, left)
    return out


def test_cells_that_differ_have_stretches_of_their_own() -> None:
    assert run(Stretches(), *((f"x{nth} = 1", 0) for nth in range(4))) == [1, 2, 3, 4]


def test_a_cell_that_leaks_is_one_stretch_and_so_is_one_with_other_blanks() -> None:
    assert run(Stretches(), ("f()", MUCH), ("f()\n", MUCH), ("f()", MUCH)) == [1, 1, 1]


def test_another_cell_in_between_matters_by_what_it_left() -> None:
    small, large, unknown = ("df.head()", 100), ("df2 = load()", MUCH), ("mystery()", None)
    assert run(Stretches(), ("f()", 0), small, ("f()", 0)) == [1, 2, 1]
    assert run(Stretches(), ("f()", 0), large, ("f()", 0)) == [1, 2, 3]
    assert run(Stretches(), ("f()", 0), unknown, ("f()", 0)) == [1, 2, 3]


def test_small_cells_in_between_add_up() -> None:
    some = [(f"a{nth}()", LEFT_BETWEEN // 4) for nth in range(6)]
    assert run(Stretches(), ("f()", 0), *some, ("f()", 0))[-1] == 8


def test_what_was_freed_in_between_matters_as_well() -> None:
    assert run(Stretches(), ("f()", MUCH), ("history = []", -MUCH), ("f()", MUCH)) == [1, 2, 3]
    assert run(Stretches(), ("f()", 0), ("del df", -MUCH), ("g = load()", MUCH), ("f()", 0))[-1] == 4


def test_a_notebook_that_is_run_in_turn_is_told_from_its_second_round_on() -> None:
    stretches = Stretches()
    rounds = [run(stretches, ("load()", MUCH), ("train()", MUCH), ("show()", 0)) for _ in range(4)]
    assert [one[2] for one in rounds] == [3, 6, 6, 6]
    assert rounds[1] == rounds[2] == rounds[3]


def test_another_cell_among_the_round_begins_anew() -> None:
    stretches = Stretches()
    for _ in range(3):
        run(stretches, ("load()", MUCH), ("train()", MUCH))
    before = stretches.begin("load()")
    stretches.end("load()", MUCH)
    run(stretches, ("other()", MUCH))
    assert stretches.begin("load()") != before


def test_a_kernel_of_many_cells_remembers_a_bounded_number() -> None:
    stretches = Stretches()
    run(stretches, *((f"x{nth}", 0) for nth in range(5000)))
    assert len(stretches._known) <= 512
