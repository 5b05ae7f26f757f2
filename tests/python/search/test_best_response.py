from __future__ import annotations

import json
from collections.abc import Sequence
from functools import reduce
from importlib import import_module
from zlib import crc32

import numpy as np
import pytest

from draws import assert_shares
from mijnlieff import (
    Board,
    ChampionPolicy,
    GreedyPolicy,
    MinimaxPolicy,
    NetworkPolicy,
    PerfectPolicy,
    Policy,
    Position,
    RandomPolicy,
    SearchOptions,
    Variant,
    best_response,
    errors,
    parse_record,
    solve,
)
from mijnlieff._mijnlieff import BestResponseSearch
from mijnlieff.cli.main import main
from mijnlieff.encoding import mask_batch
from mijnlieff.evaluation import BestResponse, random_openings
from mijnlieff.evaluation.best_response_report import record_of
from mijnlieff.policies import RolloutPolicy
from mijnlieff.policies.searches import ending_options
from played import actions_of, example_record, finished
from players import First, PerfectPlayer

worst_case = import_module("mijnlieff.evaluation.best_response")

SMALL = [
    Variant(Board.from_text("###\n###"), "anywhere", 1),
    Variant(Board.from_text("##.\n###\n.##"), "corner", 1),
    Variant(Board.from_text("####\n###."), "corner_straight", 1),
    Variant(Board.from_text("#####"), "corner", 2),
]


class Hashed(First):
    """Plays an arbitrary action that depends on the position alone."""

    def __init__(self, salt: int = 0) -> None:
        super().__init__()
        self.salt = salt

    def choose(self, position: Position) -> int:
        pick = crc32(position.observation("flat", "uint8").tobytes(), self.salt)
        legal = position.legal_actions()
        return int(legal[pick % len(legal)])


class Reference:
    """The definition, position by position, with plain minimax for the exact margins."""

    def __init__(self, policy: Policy, player: int, possible: bool = False) -> None:
        self.policy, self.player, self.possible = policy, player, possible
        self.guaranteed: dict[Position, int] = {}
        self.exact: dict[Position, int] = {}

    def choices(self, position: Position) -> list[int]:
        if position.to_play != self.player:
            return position.legal_actions().tolist()
        if self.possible:
            return np.flatnonzero(self.policy.action_probabilities([position])[0]).tolist()
        return [self.policy.act(position)]

    def margin(self, position: Position) -> int:
        return position.margin if self.player == 0 else -position.margin

    def guarantee(self, position: Position) -> int:
        if position.is_over:
            return self.margin(position)
        if position not in self.guaranteed:
            after = [self.guarantee(position.play(action)) for action in self.choices(position)]
            self.guaranteed[position] = min(after)
        return self.guaranteed[position]

    def value(self, position: Position) -> int:
        if position.is_over:
            return self.margin(position)
        if position not in self.exact:
            after = [self.value(position.play(action)) for action in position.legal_actions()]
            self.exact[position] = max(after) if position.to_play == self.player else min(after)
        return self.exact[position]

    def walk(self, start: Position) -> tuple[dict[int, int], dict[int, tuple[int, int]]]:
        """The reachable positions and the mistakes by ply."""
        outcome = np.sign(self.value(start))

        def leaves(position: Position) -> bool:
            return bool(np.sign(self.value(position)) < outcome)

        positions, mistakes = {}, {}
        everywhere, kept = {start}, {start}
        ply = start.ply
        while everywhere:
            positions[ply] = len(everywhere)
            own = next(iter(everywhere)).to_play == self.player
            after = {p: [p.play(a) for a in self.choices(p)] for p in everywhere}
            if own:
                given = sum(any(map(leaves, after[p])) for p in kept)
                mistakes[ply] = (len(kept), given)
            everywhere = {q for p in everywhere for q in after[p] if not q.is_over}
            kept = {q for p in kept for q in after[p] if not q.is_over and not leaves(q)}
            ply += 1
        return positions, mistakes


def assert_same(report: BestResponse, reference: Reference, start: Position) -> None:
    assert report.margin == reference.guarantee(start)
    assert report.value == reference.value(start)
    positions, mistakes = reference.walk(start)
    assert report.positions == positions
    assert report.mistakes == mistakes
    assert len(report.refutations) == report.num_mistakes
    lines = [actions_of(record, start.variant) for record in report.refutations]
    assert lines == sorted(lines, key=len)
    for line in lines:
        position = start
        for action in line:
            assert np.sign(reference.value(position)) >= np.sign(report.value)
            assert action in reference.choices(position)
            position = position.play(action)
        assert np.sign(reference.value(position)) < np.sign(report.value)
        assert position.to_play != reference.player
    game = start
    for action in actions_of(report.worst_game, start.variant):
        game = game.play(action)
    assert game.is_over and reference.margin(game) == report.margin


@pytest.mark.parametrize("variant", SMALL)
@pytest.mark.parametrize("player", [0, 1])
def test_it_is_what_plain_enumeration_finds(variant: Variant, player: int) -> None:
    start = Position(variant)
    mistakes = 0
    for salt in range(4):
        policy = Hashed(salt)
        report = best_response(policy, seat=("light", "dark")[player], start=start)
        assert_same(report, Reference(policy, player), start)
        mistakes += report.num_mistakes
    assert mistakes > 0 or Reference(policy, player).value(start) < 0


@pytest.mark.parametrize("variant", SMALL[:3])
def test_policies_that_draw_are_followed_in_all_their_actions(
    variant: Variant, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = random_openings(1, 1, variant, seed=3)[0]
    table = np.random.default_rng(0).normal(size=variant.num_actions)
    network = NetworkPolicy(lambda _, masks: np.tile(table, (len(masks), 1)), temperature=1.0)
    for policy in (
        RandomPolicy(),
        GreedyPolicy(),
        MinimaxPolicy(3),
        PerfectPolicy(0, 0.1),
        network,
    ):
        for player, seat in enumerate(["light", "dark"]):
            report = best_response(policy, seat=seat, start=start)
            assert_same(report, Reference(policy, player, possible=True), start)
            with monkeypatch.context() as patch:
                patch.setattr(worst_case, "_BATCH", 7)
                assert report == best_response(policy, seat=seat, start=start)


def test_probabilities_are_the_shares_of_many_draws() -> None:
    position = random_openings(1, 6, seed=5)[0]
    for policy in (RandomPolicy(1), GreedyPolicy(1), MinimaxPolicy(2, 1), PerfectPolicy(1, 0.3)):
        (expected,) = policy.action_probabilities([position])
        assert expected.sum() == pytest.approx(1)
        drawn = np.bincount(policy.act_batch([position] * 4000), minlength=len(expected))
        assert_shares(drawn, expected)
    drawn = ChampionPolicy(temperature=1.0, seed=2).act_batch([position] * 4000)
    (expected,) = ChampionPolicy(temperature=1.0).action_probabilities([position])
    assert expected.sum() == pytest.approx(1)
    assert_shares(np.bincount(drawn, minlength=65), expected)
    (certain,) = ChampionPolicy().action_probabilities([position])
    assert certain[ChampionPolicy().act(position)] == certain.sum() == 1
    with pytest.raises(errors.GameOverError, match="position 1"):
        RandomPolicy().action_probabilities([Position(), finished()])


def test_endings_that_are_played_exactly_are_solved() -> None:
    board = Board.from_text("####\n####\n##..")
    start = Position(Variant(board, "corner", 2))

    def evaluate(observations: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(masks.shape), np.zeros(len(masks))

    policy = NetworkPolicy(evaluate, search=ending_options(2, 7))
    assert policy.exact_endings == (7, 8)
    known = best_response(policy, start=start)
    asked = best_response(policy, start=start, settle=False)
    assert (known.margin, known.value) == (asked.margin, asked.value)
    assert {ply: asked.mistakes[ply] for ply in known.mistakes} == known.mistakes
    assert max(asked.positions) > max(known.positions)
    everything = PerfectPlayer(exact_endings=(10**30, 10**30))
    assert best_response(everything, start=start).margin == known.value
    assert NetworkPolicy(evaluate, search=2).exact_endings is None
    outcome = ending_options(2, 7, margin_weight=0.0)
    assert NetworkPolicy(evaluate, search=outcome).exact_endings is None


@pytest.mark.parametrize("weight", [0.0, 0.5])
def test_all_best_actions_of_solved_positions_are_followed(weight: float) -> None:
    board = Board.from_text("####\n####\n##..")
    start = random_openings(1, 5, Variant(board, "corner", 2), seed=3)[0]
    options = SearchOptions(2, solve_roots_below=7, margin_weight=weight)

    def evaluate(observations: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(masks.shape), np.zeros(len(masks))

    class Solving(First):
        """All positions are solved: the definition by the exact margins of the actions."""

        def action_probabilities(self, positions: Sequence[Position]) -> np.ndarray:
            (position,) = positions
            worth = {
                action: (1 - weight) * np.sign(margin) + weight * margin / 8
                for action, margin in solve(position).action_margins.items()
            }
            shares = np.zeros(position.variant.num_actions)
            shares[[a for a in worth if worth[a] == max(worth.values())]] = 1
            return shares[None]

    margins = set()
    for player, seat in enumerate(["light", "dark"]):
        reference = Reference(Solving(), player, possible=True)
        for seed in range(3):
            policy = NetworkPolicy(evaluate, search=options, seed=seed)
            report = best_response(policy, seat=seat, start=start, settle=False)
            assert_same(report, reference, start)
            assert best_response(policy, seat=seat, start=start).margin == report.margin
        margins.add(report.margin == report.value)
    assert margins == ({True} if weight else {False, True})


def test_beyond_the_horizon_play_is_taken_to_be_perfect() -> None:
    variant = SMALL[0]
    start = Position(variant)
    policy = Hashed(1)
    whole = best_response(policy, seat="light", start=start)
    margins = []
    for horizon in range(12):
        report = best_response(policy, seat="light", start=start, horizon=horizon)
        margins.append(report.margin)
        assert {p: n for p, n in report.mistakes.items() if p < horizon} == {
            p: n for p, n in whole.mistakes.items() if p < horizon
        }
        assert all(given == 0 for p, (_, given) in report.mistakes.items() if p >= horizon)
        assert ("plays perfectly from ply" in str(report)) and report.horizon == horizon
    assert margins[0] == whole.value > whole.margin == margins[-1]
    assert margins == sorted(margins, reverse=True)


def test_perfect_play_is_guaranteed_the_value() -> None:
    starts = random_openings(40, 5, seed=1)
    report = best_response("perfect", seat="both", start=starts)
    assert len(report.cases) == 80 and report.num_mistakes == 0
    for case in report.cases:
        sign = 1 if case.start.to_play == ("light", "dark").index(case.seat) else -1
        assert case.margin == case.value == sign * solve(case.start).margin
    assert report.margin == report.value == min(case.value for case in report.cases)


@pytest.mark.parametrize("policy", [Hashed(7), RandomPolicy()])
def test_several_starts_and_both_seats_are_looked_into(
    policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    variant = SMALL[1]
    starts = [Position(variant), *random_openings(6, 2, variant), *random_openings(3, 1, variant)]
    report = best_response(policy, seat="both", start=starts)
    references = [Reference(policy, player, isinstance(policy, RandomPolicy)) for player in (0, 1)]
    seen = set()
    for case in report.cases:
        reference = references[("light", "dark").index(case.seat)]
        assert (case.margin, case.value) == (
            reference.guarantee(case.start),
            reference.value(case.start),
        )
        seen.add((case.seat, case.start))
    assert seen == {(seat, start) for seat in ("light", "dark") for start in starts}
    assert report.margin == min(case.margin for case in report.cases)
    worst = next(case for case in report.cases if case.worst_game == report.worst_game)
    game = reduce(Position.play, actions_of(report.worst_game, variant), worst.start)
    assert game.is_over
    assert (game.margin if worst.seat == "light" else -game.margin) == worst.margin == report.margin
    monkeypatch.setattr(worst_case, "_BATCH", 7)
    assert report == best_response(policy, seat="both", start=starts)


@pytest.mark.slow
@pytest.mark.parametrize("simulations", [16, 64])
@pytest.mark.parametrize("seat", ["dark", "light"])
@pytest.mark.parametrize(
    ("opening", "margin"),
    [("outside", -1), ("corner", -1), ("corner_straight", -1), ("anywhere", 1)],
)
def test_no_opponent_takes_anything_from_the_champion(
    opening: str, margin: int, seat: str, simulations: int
) -> None:
    variant = Variant(opening=opening)
    report = best_response(f"champion:{simulations}", seat=seat, start=Position(variant))
    assert report.value == (margin if seat == "light" else -margin)
    assert report.margin == report.value and report.num_mistakes == 0
    game = Position.from_record(report.worst_game, variant)
    assert game.is_over and game.margin == margin


def test_policies_that_draw_without_probabilities_are_refused() -> None:
    with pytest.raises(errors.PolicyError, match="draws its moves at random"):
        best_response(RolloutPolicy(4), start=Position(SMALL[0]))

    class Dice(Hashed):
        def act_batch(self, positions: Sequence[Position]) -> np.ndarray:
            self.salt += 1
            return super().act_batch(positions)

    with pytest.raises(errors.PolicyError, match="action_probabilities"):
        best_response(Dice(), start=Position(SMALL[1]))


def test_numbers_may_be_larger_than_any_in_the_core() -> None:
    start, huge = Position(SMALL[0]), 10**30
    report = best_response(
        "greedy", start=start, max_positions=huge, max_refutations=huge, horizon=huge
    )
    assert report.margin == best_response("greedy", start=start).margin


def test_an_illegal_action_is_refused() -> None:
    class Passing(First):
        def choose(self, position: Position) -> int:
            return position.variant.pass_action

    with pytest.raises(errors.PolicyError, match="chose action 24 in position 0"):
        best_response(Passing(), start=Position(SMALL[0]))


def test_a_report_turns_into_a_page_and_json() -> None:
    start = random_openings(1, 10, seed=4)[0]
    report = best_response("greedy", seat="light", start=start)
    assert report.margin < report.value and report.num_mistakes > 0
    assert "<table>" in report._repr_html_()
    content = json.loads(json.dumps(report.to_dict()))
    assert content["mistakes"] == {str(ply): list(cells) for ply, cells in report.mistakes.items()}


def test_the_command_prints_the_report_of_the_function(capsys: pytest.CaptureFixture[str]) -> None:
    record = example_record(8)
    arguments = ["best-response", "minimax:2", "--seat", "light", record]
    assert main(arguments) == 0
    start = Position.from_record(record)
    report = best_response("minimax:2", seat="light", start=start)
    assert capsys.readouterr().out == f"{report}\n"
    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["margin"] == report.margin
    assert main([*arguments, "--max-positions", "10"]) == 1
    assert "max_positions=10" in capsys.readouterr().err
    assert main(["best-response", "nobody"]) == 2


def test_the_games_of_the_command_are_those_of_the_function_from_the_first_move(
    capsys: pytest.CaptureFixture[str],
) -> None:
    record = example_record(8)
    start = Position.from_record(record)
    report = best_response("greedy", seat="both", start=start)
    assert main(["best-response", "greedy", "--seat", "both", record, "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    worst = [one.worst_game for one in report.cases]
    games = [(one["worst_game"], game) for one, game in zip(content["cases"], worst, strict=True)]
    games += zip(content["refutations"], report.refutations, strict=True)
    assert None not in worst and len(games) > 2
    for whole, game in games:
        assert whole.startswith(record) and record_of(start, parse_record(whole)[8:]) == game
    assert content["worst_game"] in [whole for whole, _ in games]


def native_search(variant: Variant = SMALL[0]) -> BestResponseSearch:
    options = {"exact_cells": None, "exact_margin": 0, "horizon": None, "least_margin": None}
    options["tablebase"] = None
    return BestResponseSearch([Position(variant)], 0, **options, max_positions=10**6, num_threads=1)


def test_actions_are_possible_where_numpy_says_so():
    """A bool may be any byte that is not 0."""
    found = []
    for byte in (1, 2, -1):
        search = native_search()
        while positions := search.ask(10**6)[2]:
            search.answer_with_sets((byte * mask_batch(positions)).view(bool))
        result = search.finish(0)
        found.append((result.margins, result.positions))
    assert found[0] == found[1] == found[2]


def test_the_native_search_does_not_finish_early():
    for asked in (False, True):
        early = native_search()
        if asked:
            early.ask(8)
        with pytest.raises(RuntimeError, match="positions are left to ask"):
            early.finish(0)
    whole = native_search()
    while positions := whole.ask(10**6)[2]:
        whole.answer(GreedyPolicy().act_batch(positions))
    assert len(whole.finish(0).margins) == 1


def test_the_native_search_refuses_illegal_actions():
    for number in (1000, -1):
        search = native_search()
        assert len(search.ask(1)[2]) == 1
        with pytest.raises(errors.PolicyError, match=r"position 0: .* not all legal"):
            search.answer(np.array([number]))
    for actions in ([], [0, 24]):
        search = native_search()
        assert search.ask(1)[2][0].legal_actions()[0] == 0
        possible = np.zeros((1, 25), bool)
        possible[0, actions] = True
        with pytest.raises(errors.PolicyError, match=r"position 0: .* or there is none"):
            search.answer_with_sets(possible)
    with pytest.raises(errors.BoardError, match="at most 16 cells, this one has 20"):
        native_search(Variant(Board.from_text("#####\n" * 4)))
