from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import mijnlieff
from mijnlieff import (
    Board,
    PerfectPolicy,
    Position,
    Tablebase,
    TablebaseError,
    Variant,
    best_response,
    grade,
    solve,
    solve_batch,
)
from mijnlieff.cli.main import main
from mijnlieff.evaluation.canonical import canonical_keys

# A table of this board is built in a moment.
SMALL = Variant(Board.from_text("##..\n####\n..##"), copies=1)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Tablebase:
    return Tablebase.build(tmp_path_factory.mktemp("table") / "small", SMALL)


def small_positions(count: int, opening: str = "outside") -> list[Position]:
    variant = Variant(SMALL.board, opening, SMALL.copies)
    return [
        position
        for plies in range(7)
        for position in mijnlieff.evaluation.random_openings(count, plies, variant, seed=plies)
    ]


@pytest.mark.parametrize("opening", ["outside", "corner", "corner_straight", "anywhere"])
def test_the_table_answers_as_the_solver_does(table: Tablebase, opening: str) -> None:
    positions = small_positions(60, opening)
    expected = solve_batch(positions)
    found = solve_batch(positions, tablebase=table)
    np.testing.assert_array_equal(found.margins, expected.margins)
    np.testing.assert_array_equal(found.action_margins, expected.action_margins)
    np.testing.assert_array_equal(found.action_mask, expected.action_mask)
    margins = table.margins(positions, num_threads=1)
    assert margins.dtype == np.int16
    np.testing.assert_array_equal(margins, expected.margins)
    for position in positions[::40]:
        solution = solve(position, tablebase=table)
        assert solution.action_margins == solve(position).action_margins
        assert solution.nodes == 0


def test_every_path_to_the_solver_takes_a_table(table: Tablebase) -> None:
    positions = small_positions(20)
    perfect = PerfectPolicy(3, 0.2, table)
    np.testing.assert_array_equal(
        perfect.act_batch(positions), PerfectPolicy(3, 0.2).act_batch(positions)
    )
    assert pickle.loads(pickle.dumps(perfect)) == perfect
    assert str(table.path) in repr(perfect)
    graded = grade("greedy", 60, variant=SMALL, tablebase=table)
    # Some of the numbers are NaN, which equal nothing.
    assert str(graded.to_dict()) == str(grade("greedy", 60, variant=SMALL).to_dict())
    start = Position(SMALL)
    worst = best_response("minimax:1", seat="both", start=start, tablebase=table)
    assert worst.to_dict() == best_response("minimax:1", seat="both", start=start).to_dict()
    with ThreadPoolExecutor(2) as executor:
        sent = solve_batch(positions, executor=executor, tablebase=table)
    np.testing.assert_array_equal(sent.margins, table.margins(positions))


def test_a_table_of_another_game_is_refused(table: Tablebase) -> None:
    with pytest.raises(ValueError, match="8 cells and 1 copies, the position of 16 cells"):
        solve(Position(), tablebase=table)
    with pytest.raises(ValueError, match="16 cells and 2 copies"):
        PerfectPolicy(tablebase=table).act(Position())
    with pytest.raises(TablebaseError, match="at most 3 copies"):
        Tablebase.size(Variant(copies=4))
    with pytest.raises(TablebaseError, match="at most 16 cells"):
        Tablebase.size(Variant(Board.from_text("#" * 17)))
    assert Tablebase.size()["file_bytes"] < 5e9
    assert table.variant == Variant(SMALL.board, "anywhere", 1)
    table.check()


@pytest.mark.parametrize("opening", ["outside", "corner_straight"])
@pytest.mark.parametrize(("text", "copies"), [("##.\n.##", 2), ("###\n###", 1), ("##\n##\n#.", 1)])
def test_the_census_counts_what_games_reach(
    text: str, copies: int, opening: str, tmp_path: Path
) -> None:
    variant = Variant(Board.from_text(text), opening, copies)
    table = Tablebase.build(tmp_path / "table", variant)
    level, found = [Position(variant)], {}
    while level:
        level = [position for position in level if not position.is_over]
        fresh = {
            key: position
            for key, position in zip(canonical_keys(level), level, strict=True)
            if key not in found
        }
        found.update(fresh)
        level = [
            position.play(int(action))
            for position in fresh.values()
            for action in position.legal_actions()
        ]
    expected = np.zeros((variant.board.num_cells, 15), dtype=np.int64)
    counted = [position for position in found.values() if position.hands.any(axis=1).all()]
    # On a full board nothing is left to place.
    counted = [position for position in counted if (position.stones == 0).any()]
    for position, margin in zip(counted, table.margins(counted), strict=True):
        expected[np.count_nonzero(position.stones), margin + 7] += 1
    np.testing.assert_array_equal(table.census(variant), expected)


def test_damaged_files_raise_and_name_what_is_wrong(table: Tablebase, tmp_path: Path) -> None:
    whole = Path(table.path).read_bytes()
    path = tmp_path / "table"

    def opened(content: bytes) -> Tablebase:
        path.write_bytes(content)
        return Tablebase.open(path)

    for content, message in [
        (b"", "does not start with MIJNTABL"),
        (b"MIJNBOOK" + whole[8:], "does not start with MIJNTABL"),
        (whole[:8] + b"\x09" + whole[9:], "version 9, this package reads version 1"),
        (whole[:-1], "truncated"),
        (whole + b"\0", "has been added to"),
        (whole[:40] + b"?" + whole[41:], "damaged"),
    ]:
        with pytest.raises(TablebaseError, match=message):
            opened(content)
    positions = small_positions(30)
    damaged = bytearray(whole)
    damaged[200::64] = bytes(byte ^ 1 for byte in damaged[200::64])
    with pytest.raises(TablebaseError, match="damaged"):
        opened(bytes(damaged)).margins(positions)
    with pytest.raises(FileNotFoundError, match="missing"):
        Tablebase.open(tmp_path / "missing")
    assert pickle.loads(pickle.dumps(opened(whole))).path == path


def test_a_build_that_ends_early_is_continued(table: Tablebase, tmp_path: Path) -> None:
    path = tmp_path / "table"

    def stop(done: int, total: int, stones: int) -> None:
        assert 0 < done <= total
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Tablebase.build(path, SMALL, progress=stop)
    assert not path.exists()
    partial = path.with_name("table.partial")
    whole = Path(table.path).read_bytes()
    partial.write_bytes(whole[: len(whole) // 2])
    calls: list[tuple[int, int, int]] = []
    Tablebase.build(path, SMALL, progress=lambda *state: calls.append(state))
    assert path.read_bytes() == whole
    assert not partial.exists()
    assert calls[-1][0] == calls[-1][1]
    with pytest.raises(FileExistsError):
        Tablebase.build(path, SMALL)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table"
    options = ["--board", "##/##", "--copies", "1", "--opening", "anywhere"]
    assert main(["tablebase", "build", "--out", str(path), *options]) == 0
    out, err = capsys.readouterr()
    assert str(path) in out
    assert "of memory while it is built" in err
    assert main(["solve", "--tablebase", str(path), "--json", *options]) == 0
    looked_up = capsys.readouterr().out
    assert main(["solve", "--json", *options]) == 0
    assert capsys.readouterr().out == looked_up
    assert main(["tablebase", "build", "--out", str(path), *options]) == 1
    assert main(["solve", "--tablebase", str(tmp_path / "none")]) == 1
    assert "none" in capsys.readouterr().err
