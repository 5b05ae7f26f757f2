"""A slow model of `mijnlieff.VectorEnv`, written from its documentation, to hold it against.

Every game is a Python object with its own two streams; nothing is shared between games.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from mijnlieff import Canvas, Position, Variant, VectorEnv

WORD = 2**64 - 1
GAMMA = 0x9E3779B97F4A7C15


def mix(z: int) -> int:
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
    return z ^ z >> 31


class Stream:
    """Stream `number` of a seed of SplitMix64."""

    def __init__(self, seed: int, number: int) -> None:
        self.state = mix(mix(seed + GAMMA & WORD) + number & WORD)

    @classmethod
    def from_state(cls, state: int) -> Stream:
        stream = cls.__new__(cls)
        stream.state = state
        return stream

    def word(self) -> int:
        """The next 64 bits."""
        self.state = self.state + GAMMA & WORD
        return mix(self.state)

    def below(self, count: int) -> int:
        while True:
            product = self.word() * count
            if product & WORD >= 2**64 % count:
                return product >> 64

    def unit(self) -> float:
        """A number between 0 and 1, neither of them included, in steps of 2**-52."""
        return ((self.word() >> 12) + 0.5) / 2**52


class Game:
    def __init__(self, model: Model, seed: int) -> None:
        self.model, self.over, self.acted = model, True, False
        self.position, self.seat, self.variant = Position(model.variants[0]), 0, 0
        self.env_stream, self.sample_stream = Stream(seed, 0), Stream(seed, 1)

    def start(self) -> None:
        while True:
            self.variant = self.model.drawn_variant(self.env_stream)
            self.position = Position(self.model.variants[self.variant])
            self.over, self.acted = False, False
            if self.model.opponent is not None:
                seats = {"light": 0, "dark": 1}
                drawn = self.model.seat == "random"
                self.seat = self.env_stream.below(2) if drawn else seats[self.model.seat]
            if self.model.random_plies:
                self.play_random_plies()
            self.others_play()
            if not self.position.is_over:
                return

    def play_random_plies(self) -> None:
        for _ in range(self.env_stream.below(self.model.random_plies + 1)):
            legal = self.position.legal_actions()
            after = self.position.play(legal[self.env_stream.below(len(legal))])
            if after.is_over:
                return
            self.position = after

    def others_play(self) -> None:
        model, pass_action = self.model, self.position.variant.pass_action
        while not self.position.is_over:
            legal = self.position.legal_actions()
            mine = model.opponent is None or self.position.to_play == self.seat
            if legal[0] == pass_action and (not mine or model.auto_pass):
                after = self.position.play(pass_action)
                if mine and not self.acted and after.is_over:
                    return
                self.position = after
            elif mine:
                return
            elif model.opponent == "random":
                self.position = self.position.play(legal[self.env_stream.below(len(legal))])
            else:
                self.position = self.position.play(model.opponent.act(self.position))

    def numbers(self) -> list[int]:
        """The index that each action of the game's variant has in the environment."""
        variant, canvas = self.position.variant, self.model.canvas
        return list(range(variant.num_actions) if canvas is None else canvas.actions(variant))

    def sample(self) -> int:
        legal = self.position.legal_actions()
        drawn = self.sample_stream.below(max(1, len(legal)))
        return self.numbers()[-1 if self.over else legal[drawn]]

    def step(self, action: int) -> dict:
        model = self.model
        result = {"reward": 0.0, "ended": False}
        if self.over:
            assert model.autoreset == "next_step"
            self.start()
            return result
        actor = self.position.to_play
        self.acted = True
        own = dict(zip(self.numbers(), range(10**6), strict=False)).get(action)
        legal = own in self.position.legal_actions()
        assert legal or model.illegal_action == "lose"
        if legal:
            self.position = self.position.play(own)
            self.others_play()
        if legal and not self.position.is_over:
            return result
        light, dark = self.position.score
        margin = light - dark if actor == 0 else dark - light
        if model.reward == "outcome":
            margin = (margin > 0) - (margin < 0)
        winner = -1 if light == dark else int(dark > light)
        result = {
            "reward": float(margin) if legal else -1.0,
            "ended": True,
            "score": (light, dark),
            "winner": winner if legal else 1 - actor,
            "illegal": not legal,
            "final": self.position,
            "variant": self.variant,
        }
        if model.autoreset == "same_step":
            self.start()
        else:
            self.over = True
        return result


class Model:
    def __init__(
        self,
        num_envs: int,
        seed: int,
        variant: Variant | None = None,
        *,
        variants: Sequence[Variant] | None = None,
        variant_weights: Sequence[float] | None = None,
        canvas: Canvas | None = None,
        opponent: Any = None,
        seat: str = "random",
        observation: str | None = None,
        dtype: str = "float32",
        reward: str = "outcome",
        autoreset: str = "same_step",
        auto_pass: bool = False,
        illegal_action: str = "raise",
        random_plies: int = 0,
    ) -> None:
        assert opponent in (None, "random") or hasattr(opponent, "act")
        self.variants = variants or [variant or Variant()]
        self.with_variant_index, self.weights = variants is not None, variant_weights
        self.canvas = Canvas.around(variants) if variants and not canvas else canvas
        observation = observation or ("planes" if self.canvas else "flat")
        self.opponent, self.seat, self.auto_pass = opponent, seat, auto_pass
        self.observation, self.dtype, self.reward = observation, dtype, reward
        self.autoreset, self.illegal_action = autoreset, illegal_action
        self.random_plies = random_plies
        self.games = [Game(self, seed + i) for i in range(num_envs)]

    def drawn_variant(self, stream: Stream) -> int:
        """The index of the variant of a new game, by the documented draw."""
        weights, count = self.weights, len(self.variants)
        if count == 1:
            return 0
        if weights is None or len(set(weights)) == 1:
            return stream.below(count)
        ends = np.cumsum([weight / max(weights) for weight in weights])
        drawn = stream.word()
        for index, end in enumerate(ends):
            if weights[index] > 0 and drawn < min(int(end / ends[-1] * 2.0**64), WORD):
                return index
        return max(index for index, weight in enumerate(weights) if weight > 0)

    def reset(self, mask: np.ndarray | None = None) -> None:
        for i, game in enumerate(self.games):
            if mask is None or mask[i]:
                game.start()

    def sample_actions(self) -> list[int]:
        return [game.sample() for game in self.games]

    def observe(self, position: Position) -> np.ndarray:
        return position.observation(self.observation, self.dtype, canvas=self.canvas)

    def check_view(self, observations: np.ndarray, info: dict) -> None:
        """Compare what the agent sees."""
        expected = np.stack([self.observe(game.position) for game in self.games])
        assert observations.dtype == expected.dtype
        np.testing.assert_array_equal(observations, expected)
        assert info["action_mask"].dtype == np.int8 and info["to_play"].dtype == np.int8
        assert info["_action_mask"].all() and info["_to_play"].all()
        for game, mask, player in zip(
            self.games, info["action_mask"], info["to_play"], strict=True
        ):
            expected = game.position.action_mask(self.canvas)
            if game.over:
                expected[:] = 0
                expected[-1] = 1
            assert mask.tolist() == expected.tolist()
            assert player == game.position.to_play
        if self.with_variant_index:
            assert info["variant"].dtype == np.int64 and info["_variant"].all()
            assert info["variant"].tolist() == [game.variant for game in self.games]
        assert self.with_variant_index == ("variant" in info)

    def check_step(self, actions: list[int], step: tuple) -> int:
        """Play the actions and compare everything that the environment returned for them."""
        observations, rewards, terminations, truncations, info = step
        results = [game.step(a) for game, a in zip(self.games, actions, strict=True)]
        self.check_view(observations, info)
        assert rewards.tolist() == [result["reward"] for result in results]
        ended = [result["ended"] for result in results]
        assert terminations.tolist() == ended
        assert not truncations.any()
        seen = {"action_mask", "to_play"} | ({"variant"} if self.with_variant_index else set())
        keys, told = set(seen), {"score", "winner"}
        if any(ended):
            told |= {"illegal"} if self.illegal_action == "lose" else set()
            keys |= told
            if self.autoreset == "same_step":
                keys |= {"final_obs", "final_info"}
                final_info = info["final_info"]
                assert set(final_info) == {*seen, *told, *(f"_{key}" for key in seen | told)}
                assert all(final_info[f"_{key}"].tolist() == ended for key in seen | told)
            assert all(info[f"_{key}"].tolist() == ended for key in keys - seen)
        assert set(info) == keys | {f"_{key}" for key in keys}
        for i, result in enumerate(results):
            if result["ended"]:
                assert tuple(info["score"][i]) == result["score"]
                assert info["winner"][i] == result["winner"]
                assert "illegal" not in info or info["illegal"][i] == result["illegal"]
                if self.autoreset == "same_step":
                    expected = self.observe(result["final"])
                    np.testing.assert_array_equal(info["final_obs"][i], expected)
                    assert final_info["to_play"][i] == result["final"].to_play
                    mask = final_info["action_mask"][i]
                    assert np.flatnonzero(mask).tolist() == [len(mask) - 1]
                    if self.with_variant_index:
                        assert final_info["variant"][i] == result["variant"]
                    assert final_info["winner"][i] == result["winner"]
            elif "final_obs" in info:
                assert info["final_obs"][i] is None
        return sum(ended)


def model_and_env(num_envs: int, seed: int, **options: Any) -> tuple[VectorEnv, Model]:
    """An environment and its model, both reset with the seed and compared."""
    env = VectorEnv(num_envs, **options)
    for unseen in ("num_threads", "copy"):
        options.pop(unseen, None)
    model = Model(num_envs, seed, **options)
    model.reset()
    model.check_view(*env.reset(seed=seed))
    return env, model


def play(env: VectorEnv, model: Model, steps: int, wild: np.random.Generator | None = None) -> int:
    """Play random actions, some of them illegal if `wild`, and compare every step."""
    ended = 0
    for _ in range(steps):
        actions = env.sample_actions()
        assert actions.tolist() == model.sample_actions()
        if wild is not None:
            mistaken = wild.random(env.num_envs) < 0.05
            actions = np.where(mistaken, wild.integers(0, 4 * 4, env.num_envs), actions)
            actions = np.minimum(actions, env.num_actions - 1)
        step = env.step(actions)
        ended += model.check_step(actions.tolist(), step)
        if env.autoreset_mode is AutoresetMode.DISABLED and step[2].any():
            model.reset(step[2])
            model.check_view(*env.reset(options={"reset_mask": step[2].copy()}))
    return ended
