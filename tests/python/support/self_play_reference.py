"""Games of `SelfPlay` by their definition: one search after another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from mijnlieff import Board, Canvas, Position, SearchOptions, TreeSearch, Variant, solve
from mijnlieff._mijnlieff import Network
from mijnlieff.encoding import mask_batch, observe_batch
from mijnlieff.policies.searches import search_with
from mijnlieff.self_play import SelfPlaySamples, SelfPlayStatistics
from vector_model import Stream

SMALL = Variant(Board.from_text("###\n###"), "anywhere", 1)
ENDINGS = {"solve_roots_below": 9, "solve_leaves_below": 8}
ARRAYS = [
    name for name in SelfPlaySamples.__match_args__ if name not in ("first_game", "statistics")
]
LEAVES = ("evaluations", "shared_evaluations", "recalled_evaluations", "solved_leaves")


class OnBoard:
    """A network for a canvas, on one board: asked about flat observations."""

    def __init__(self, network: Network, variant: Variant) -> None:
        self.network, self.variant = network, variant

    def evaluate(self, flat: Any) -> tuple[Any, Any]:
        canvas = self.network.canvas
        planes = np.zeros((len(flat), 12, canvas.height, canvas.width), np.float32)
        x, y = np.array(self.variant.board.cells).T
        planes[:, :3, y, x] = flat[:, :-8].reshape(len(flat), 3, -1)
        planes[:, 3, y, x] = 1
        planes[:, 4:] = flat[:, -8:, None, None]
        logits, values = self.network.evaluate(planes)
        return logits[:, canvas.actions(self.variant)], values


def played_alone(
    network: Network,
    variant: Variant | list[Variant],
    number: int,
    *,
    seed: int = 0,
    random_plies: int = 4,
    solve_book_roots: bool = False,
    solved_temperature: float = 0.0,
    **settings: Any,
) -> dict[str, list[Any]]:
    """A game by the definition, one search after another."""
    options = SearchOptions(**settings)
    weight = options.margin_weight
    stream = Stream(seed, number)
    if isinstance(variant, list):
        variant = variant[stream.below(len(variant))]
    player = network if network.canvas is None else OnBoard(network, variant)
    tree_seed = stream.word()
    position = Position(variant)
    for _ in range(stream.below(random_plies + 1)):
        actions = position.legal_actions()
        following = position.play(int(actions[stream.below(len(actions))]))
        if following.is_over:
            break
        position = following
    temperature = solved_temperature * share_of(stream) if solved_temperature else 0.0
    search = None
    rows: list[dict[str, Any]] = []
    while not position.is_over:
        if (action := variant.pass_action) not in position.legal_actions():
            policy = np.zeros(variant.num_actions, np.float32)
            known = np.full(variant.num_actions, np.iinfo(np.int16).min, np.int16)
            row = {"position": position, "policy_targets": policy, "action_margins": known}
            empty = int((position.stones == 0).sum())
            in_book = variant.board == Board.standard() and variant.copies == 2 and empty > 11
            if empty <= options.solve_roots_below or (solve_book_roots and in_book):
                margins = solve(position).action_margins
                value = {
                    it: (1 - weight) * np.sign(margin) + weight * np.clip(margin / 8, -1, 1)
                    for it, margin in margins.items()
                }
                best = [it for it in value if value[it] == max(value.values())]
                policy[best] = np.float32(1 / len(best))
                if temperature:
                    action = strayed(margins, temperature, share_of(stream))
                    known[list(margins)] = list(margins.values())
                else:
                    action = best[stream.below(len(best))]
                row |= {"exact": True, "margins": solve(position).margin}
                row |= {"root_values": max(value.values())}
            else:
                if search is None:
                    search = TreeSearch([position], options, seed=tree_seed, num_threads=1)
                else:
                    search.restart([position])
                search_with(lambda rows, _: player.evaluate(rows), search)
                policy[:] = search.policy_targets[0]
                action = int(search.actions[0])
                row |= {"exact": False, "root_values": search.root_values[0]}
            rows.append(row)
        position = position.play(int(action))
    light = position.margin
    for row in reversed(rows):
        sign = 1 if row["position"].to_play == 0 else -1
        light = sign * row.get("margins", sign * light)
        row["margins"] = sign * light
    return {"rows": rows, "end": position}


def assert_played(
    samples: SelfPlaySamples,
    games: list[dict[str, Any]],
    canvas: Canvas | None = None,
    layout: str = "flat",
    dtype: str = "uint8",
) -> None:
    """Every sample is that of a game by the definition, in the same order."""
    rows = [(number, row) for number, game in enumerate(games) for row in game["rows"]]
    assert len(samples) == len(rows)
    for i, (number, expected) in enumerate(rows):
        position = expected["position"]
        observation = observe_batch([position], layout, dtype, canvas)[0]
        np.testing.assert_array_equal(samples.observations[i], observation, strict=True)
        mask = mask_batch([position], canvas)[0]
        np.testing.assert_array_equal(samples.action_masks[i], mask, strict=True)
        slots = ... if canvas is None else canvas.actions(position.variant)
        policy = np.zeros(len(mask), np.float32)
        policy[slots] = expected["policy_targets"]
        np.testing.assert_array_equal(samples.policy_targets[i], policy, strict=True)
        known = np.full(len(mask), np.iinfo(np.int16).min, np.int16)
        known[slots] = expected["action_margins"]
        np.testing.assert_array_equal(samples.action_margins[i], known, strict=True)
        assert samples.root_values[i] == np.float32(expected["root_values"])
        assert samples.margins[i] == expected["margins"]
        assert samples.exact[i] == expected["exact"]
        assert samples.to_play[i] == position.to_play
        assert samples.plies[i] == position.ply
        assert samples.games[i] == number
    for number, game in enumerate(games):
        assert samples.game_margins[number] == game["end"].margin
        assert samples.game_plies[number] == game["end"].ply


def share_of(stream: Stream) -> float:
    """A number from 0 to 1, as `Draw::unit` makes it."""
    return (stream.word() >> 11) / 2**53


def strayed(margins: Mapping[int, int], temperature: float, share: float) -> int:
    """The action that is drawn with probabilities softmax(margins / temperature)."""
    best = max(margins.values())
    # The order of the solver: of the legal actions.
    weights = {it: math.exp((margin - best) / temperature) for it, margin in margins.items()}
    below = 0.0
    for action, weight in weights.items():
        below += weight
        if share * sum(weights.values()) < below:
            return action
    raise AssertionError("the shares sum to 1")


def assert_same(samples: SelfPlaySamples, others: SelfPlaySamples) -> None:
    for name in ARRAYS:
        left, right = getattr(samples, name), getattr(others, name)
        np.testing.assert_array_equal(left, right, strict=True, err_msg=name)
    assert samples.first_game == others.first_game
    for name in set(SelfPlayStatistics.__match_args__) - set(LEAVES):
        assert getattr(samples.statistics, name) == getattr(others.statistics, name), name
