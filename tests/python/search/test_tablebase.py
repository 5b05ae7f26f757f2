from __future__ import annotations

import copy
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mijnlieff
import mijnlieff.widget.table
import reference
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
from mijnlieff.datasets import Recipe, make_dataset
from mijnlieff.evaluation import review
from mijnlieff.evaluation.canonical import canonical_keys
from mijnlieff.solving import Solution
from mijnlieff.widget import Table
from played import whole_games
from search_reference import must_pass

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
    in_no_time = solve_batch(positions, max_nodes=0, max_seconds=0, tablebase=table)
    np.testing.assert_array_equal(in_no_time.action_margins, expected.action_margins)
    for position in positions[::40]:
        solution = solve(position, max_nodes=0, max_seconds=0, tablebase=table)
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
    game = [position.last_action for position in whole_games(SMALL, 1, seed=5)[0][1:]]
    assert review(game, SMALL, tablebase=table) == review(game, SMALL)
    with ThreadPoolExecutor(2) as executor:
        sent = solve_batch(positions, executor=executor, tablebase=table)
    np.testing.assert_array_equal(sent.margins, table.margins(positions))


def test_data_sets_and_the_board_take_a_table(
    table: Tablebase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = Recipe("greedy", games=20, seed=1, variant=SMALL)
    found = make_dataset(recipe, tmp_path / "looked_up", tablebase=table).load()
    for name, column in make_dataset(recipe, tmp_path / "solved").load().items():
        np.testing.assert_array_equal(found[name], column)
    asked = []

    def recorded(position: Position, **options: Any) -> Solution:
        asked.append(options["tablebase"])
        return solve(position, **options)

    monkeypatch.setattr(mijnlieff.widget.table, "solve", recorded)
    for start in (Position(SMALL), Position(Variant(SMALL.board, copies=2))):
        board = Table(start, "random", "light", lambda: None, tablebase=table)
        board.begin()
        board.show(hints=True)
        assert board.join(60)
        hints = board.state()["evaluation"]["hints"]
        margins = solve(start).action_margins
        assert hints == {str(action): margin for action, margin in margins.items()}
    assert asked == [table, None]


def test_a_table_of_another_game_is_refused(table: Tablebase) -> None:
    with pytest.raises(ValueError, match="8 cells and 1 copies, the position of 16 cells"):
        solve(Position(), tablebase=table)
    with pytest.raises(ValueError, match="16 cells and 2 copies"):
        PerfectPolicy(tablebase=table).act(Position())
    for variant, message in [
        (Variant(copies=4), "at most 3 copies of each piece, this variant has 4"),
        (Variant(Board.from_text("#" * 17)), "at most 16 cells, this one has 17"),
        (Variant(copies=3), "at most 7 points, a player of this variant can make 14"),
    ]:
        with pytest.raises(TablebaseError, match=message):
            Tablebase.size(variant)
    standard = Tablebase.size()
    assert standard["file_bytes"] < 5e9 and standard["build_bytes"] < 6e9
    assert table.variant == Variant(SMALL.board, "anywhere", 1)
    table.check()


def reached(variant: Variant) -> list[list[Position]]:
    """The positions of every ply in which a cell is empty and the game is not over."""
    level, plies = [Position(variant)], []
    while level:
        # On a full board nothing is left to place.
        level = [it for it in level if not it.is_over and (it.stones == 0).any()]
        plies.append(level)
        after = [it.play(int(action)) for it in level for action in it.legal_actions()]
        keys = [it.observation("flat").tobytes() for it in after]
        level = list(dict(zip(keys, after, strict=True)).values())
    return plies[:-1] if not plies[-1] else plies


CENSUSED = [("##.\n.##", 2), ("###\n###", 1), ("##\n##\n#.", 1)]


@pytest.mark.parametrize("opening", ["outside", "corner_straight"])
@pytest.mark.parametrize(("text", "copies"), CENSUSED)
def test_the_census_counts_what_games_reach(
    text: str, copies: int, opening: str, tmp_path: Path
) -> None:
    variant = Variant(Board.from_text(text), opening, copies)
    table = Tablebase.build(tmp_path / "table", variant)
    found = table.census(variant, facts=True, num_threads=2)
    plain = table.census(variant, num_threads=1)
    assert set(plain) == {"margins", "as_they_are"}
    plies = reached(variant)
    np.testing.assert_array_equal(found["as_they_are"], [len(level) for level in plies])
    forced: dict[bytes, int] = {}
    for ply, level in enumerate(plies):
        keys = canonical_keys(level)
        level = list(dict(zip(keys, level, strict=True)).values())
        solved = table.margins(level)
        expected = np.bincount(solved + 7, minlength=15)
        np.testing.assert_array_equal(found["margins"][ply], expected)
        np.testing.assert_array_equal(plain["margins"][ply], expected)
        facts = [facts_of(position, table) for position in level]
        for name in ("passes", "can_block", "block_decides", "single_saving", "actions"):
            assert found[name][ply] == sum(fact[name] for fact in facts), name
        for name in ("best_share", "kept_share", "regret", "outcome_regret"):
            assert found[name][ply] == pytest.approx(np.mean([fact[name] for fact in facts]))
        swings = np.bincount([fact["swing"] for fact in facts], minlength=15)
        np.testing.assert_array_equal(found["swings"][ply], swings)
        assert found["widest"][ply, 0] == np.flatnonzero(swings)[-1]
        saving = [fact["actions"] for fact in facts if fact["single_saving"]]
        assert found["hardest"][ply, 0] == max(saving, default=0)
        turns = zip(dict.fromkeys(keys), facts, strict=True)
        forced |= {key: int(fact["forced"]) for key, fact in turns if fact["actions"] == 1}
    np.testing.assert_array_equal(found["forced"], np.bincount(list(forced.values())))
    assert found["most_forced"][0] == max(forced.values())


def facts_of(position: Position, table: Tablebase) -> dict[str, float]:
    """What the census says of one position."""
    solution = solve(position, tablebase=table)
    margins = np.array(list(solution.action_margins.values()))
    outcomes = np.sign(margins)
    after = [position.play(action) for action in solution.action_margins]
    places = solution.action_margins.keys() != {position.variant.pass_action}
    blocks = np.array([places and must_pass(it) for it in after])
    keeps = outcomes == outcomes.max()
    saves = margins.max() >= 0 and keeps.sum() == 1 and len(margins) > 1
    turns, last = 0, position
    while not last.is_over and len(last.legal_actions()) == 1:
        turns, last = turns + 1, last.play(int(last.legal_actions()[0]))
    return {
        "passes": not places,
        "can_block": blocks.any(),
        "block_decides": margins.max() >= 0 and blocks.any() and not keeps[~blocks].any(),
        "single_saving": saves,
        "actions": len(margins),
        "best_share": (margins == margins.max()).mean(),
        "kept_share": keeps.mean(),
        "regret": margins.max() - margins.mean(),
        "outcome_regret": outcomes.max() - outcomes.mean(),
        "swing": int(margins.max() - margins.min()),
        "forced": turns,
    }


@pytest.mark.parametrize(("text", "copies"), CENSUSED)
def test_the_census_exchanges_pieces(text: str, copies: int, tmp_path: Path) -> None:
    variant = Variant(Board.from_text(text), "anywhere", copies)
    table = Tablebase.build(tmp_path / "table", variant)
    changes: dict[tuple[int, int], list[int]] = {}
    seen: dict[bytes, Position] = {}
    for level in reached(variant):
        level = [it for it in level if it.ply > 0 and not must_pass(it)]
        seen |= dict(zip(canonical_keys(level), level, strict=True))
    for position in seen.values():
        before = table.margins([position])[0]
        hand = position.hands[position.to_play]
        own = np.flatnonzero(position.stones == position.to_play + 1)
        for given, got in np.argwhere(~np.eye(4, dtype=bool)):
            # A stone of the type that is got lies on the board in place of the one given.
            if hand[given] and hand[got] < copies:
                cell = next(cell for cell in own if position.pieces[cell] == got)
                other = exchanged(position, cell, given)
                changes.setdefault((given, got), []).append(table.margins([other])[0] - before)
    assert changes
    found = table.census(variant, facts=True)["exchanges"]
    for given, got in np.argwhere(~np.eye(4, dtype=bool)):
        mean = np.mean(changes[given, got]) if (given, got) in changes else np.nan
        assert found[given, got] == pytest.approx(mean, nan_ok=True)


def exchanged(position: Position, cell: int, piece: int) -> Position:
    """The position with a stone of another type on a cell."""
    board, *rest = position.notation.split()
    rows = [list(row) for row in board.split("/")]
    cells = [(y, x) for y, row in reversed(list(enumerate(rows))) for x in range(len(row))]
    y, x = [(y, x) for y, x in cells if rows[y][x] != "_"][cell]
    rows[y][x] = "SDPL"[piece] if rows[y][x].isupper() else "sdpl"[piece]
    text = " ".join(["/".join("".join(row) for row in rows), *rest])
    return Position.from_notation(text, position.variant)


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


def test_a_table_keeps_its_place(
    table: Tablebase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("small").write_bytes(Path(table.path).read_bytes())
    found, path = Tablebase.open("small"), Path.cwd() / "small"
    monkeypatch.chdir(tmp_path)
    assert found.path == path
    assert pickle.loads(pickle.dumps(found)).path == path
    path.rename("elsewhere")
    assert copy.copy(found) is copy.deepcopy(found) is found
    policy = PerfectPolicy(3, 0.2, found)
    assert copy.deepcopy(policy) == policy


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
def test_errors_name_the_file_that_is_in_the_way(tmp_path: Path) -> None:
    for name in ("folder", "one.partial"):
        (tmp_path / name).mkdir()
    for name in ("pipe", "two.partial"):
        os.mkfifo(tmp_path / name)
    (tmp_path / "there").touch()
    for name, in_the_way in [("one", "one.partial"), ("two", "two.partial")]:
        with pytest.raises(OSError, match=f"{in_the_way}: not a regular file$"):
            Tablebase.build(tmp_path / name, SMALL)
    for name in ("folder", "pipe"):
        with pytest.raises(OSError, match=f"{name}: not a regular file$"):
            Tablebase.open(tmp_path / name)
    (tmp_path / "link").symlink_to(tmp_path / "nothing")
    for name in ("there", "link"):
        with pytest.raises(FileExistsError, match=f"{name}: it exists already$"):
            Tablebase.build(tmp_path / name, SMALL)
    with pytest.raises(OSError, match=r"^the path of a tablebase must not be empty$"):
        Tablebase.build("", SMALL)
    with pytest.raises(FileNotFoundError, match=r"missing: No such file or directory$"):
        Tablebase.open(tmp_path / "missing")


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


def test_a_build_ends_when_the_last_report_fails(table: Tablebase, tmp_path: Path) -> None:
    path = tmp_path / "table"

    def stop_at_the_end(done: int, total: int, stones: int) -> None:
        if done == total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Tablebase.build(path, SMALL, progress=stop_at_the_end)
    assert not path.exists()
    Tablebase.build(path, SMALL)
    assert path.read_bytes() == Path(table.path).read_bytes()


def test_a_file_that_comes_while_a_table_is_built_stays(table: Tablebase, tmp_path: Path) -> None:
    path = tmp_path / "table"
    with pytest.raises(FileExistsError, match=r"it exists already$"):
        Tablebase.build(path, SMALL, progress=lambda *state: path.write_text("precious"))
    assert path.read_text() == "precious"
    path.unlink()
    Tablebase.build(path, SMALL)
    assert path.read_bytes() == Path(table.path).read_bytes()


def test_a_partial_file_of_another_table_stays(table: Tablebase, tmp_path: Path) -> None:
    path, partial = tmp_path / "table", tmp_path / "table.partial"
    content = Path(table.path).read_bytes()[:2000]
    partial.write_bytes(content)
    with pytest.raises(FileExistsError, match=r"table.partial: it is the start of another table"):
        Tablebase.build(path, Variant(Board.from_text("##/##"), copies=1))
    assert partial.read_bytes() == content
    assert Tablebase.build(path, SMALL).path == path


def test_decisions_that_fail_are_not_counted(table: Tablebase, tmp_path: Path) -> None:
    path = tmp_path / "table"
    damaged = bytearray(Path(table.path).read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    policy = PerfectPolicy(1, 0.5, Tablebase.open(path))
    positions = small_positions(30)
    before = pickle.dumps(policy)
    with pytest.raises(TablebaseError, match="damaged"):
        policy.act_batch(positions)
    assert pickle.dumps(policy) == before
    for position in positions * 20:  # half of the decisions are at random and need no table
        before = pickle.dumps(policy)
        try:
            policy.act(position)
        except TablebaseError:
            break
    assert pickle.dumps(policy) == before


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table"
    options = ["--board", "##/##", "--copies", "1", "--opening", "anywhere"]
    assert main(["tablebase", "build", "--out", str(path), *options]) == 0
    out, err = capsys.readouterr()
    assert str(path) in out
    assert "of memory while it is built" in err
    begin, *_, end = [line for line in err.splitlines() if "rows with" in line]
    assert "left" not in begin and end.endswith(", 0 s left")  # nothing is known before any work
    assert main(["solve", "--tablebase", str(path), "--json", *options]) == 0
    looked_up = capsys.readouterr().out
    assert main(["solve", "--json", *options]) == 0
    assert capsys.readouterr().out == looked_up
    assert main(["tablebase", "build", "--out", str(path), *options]) == 1
    assert main(["solve", "--tablebase", str(tmp_path / "none")]) == 1
    assert "none" in capsys.readouterr().err


def test_endings_of_the_whole_board_are_those_of_the_reference(tmp_path: Path) -> None:
    """Players with a piece of each type on the standard board, by rules that share nothing."""
    variant = Variant(copies=1)
    table = Tablebase.build(tmp_path / "table", variant)
    plain = reference.Variant(reference.Board.from_text("\n".join(["####"] * 4)), copies=1)

    def minimax(position: reference.Position) -> int:
        if position.is_over:
            light, dark = position.score()
            return dark - light if position.to_play else light - dark
        return max(-minimax(position.play(action)) for action in position.legal_actions())

    for ply in range(4, 9):
        positions = mijnlieff.evaluation.random_openings(20, ply, variant, seed=ply)
        for position, margin in zip(positions, table.margins(positions), strict=True):
            stones = {
                plain.board.cells[cell]: int(position.stones[cell]) - 1
                for cell in np.flatnonzero(position.stones)
            }
            light, dark = (tuple(map(int, hand)) for hand in position.hands)
            game = reference.Position(
                plain, stones, (light, dark), position.last_action, ply, is_over=False
            )
            assert minimax(game) == margin, position.notation
