"""A slow model of `mijnlieff.VectorEnv`, written from its documentation, to hold it against.

Every game is a Python object with its own two streams; nothing is shared between games.
"""

from __future__ import annotations

import numpy as np

from mijnlieff import Position, Variant

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
        self.position, self.seat = Position(model.variant), 0
        self.env_stream, self.sample_stream = Stream(seed, 0), Stream(seed, 1)

    def start(self) -> None:
        while True:
            self.position, self.over, self.acted = Position(self.model.variant), False, False
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
        model, pass_action = self.model, self.model.variant.pass_action
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
            else:
                self.position = self.position.play(legal[self.env_stream.below(len(legal))])

    def sample(self) -> int:
        legal = self.position.legal_actions()
        drawn = self.sample_stream.below(max(1, len(legal)))
        return self.model.variant.pass_action if self.over else int(legal[drawn])

    def step(self, action: int) -> dict:
        model = self.model
        result = {"reward": 0.0, "ended": False}
        if self.over:
            assert model.autoreset == "next_step"
            self.start()
            return result
        actor = self.position.to_play
        self.acted = True
        legal = action in self.position.legal_actions()
        assert legal or model.illegal_action == "lose"
        if legal:
            self.position = self.position.play(action)
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
        opponent: str | None = None,
        seat: str = "random",
        observation: str = "flat",
        dtype: str = "float32",
        reward: str = "outcome",
        autoreset: str = "same_step",
        auto_pass: bool = False,
        illegal_action: str = "raise",
        random_plies: int = 0,
    ) -> None:
        assert opponent in (None, "random")
        self.variant = Variant() if variant is None else variant
        self.opponent, self.seat, self.auto_pass = opponent, seat, auto_pass
        self.observation, self.dtype, self.reward = observation, dtype, reward
        self.autoreset, self.illegal_action = autoreset, illegal_action
        self.random_plies = random_plies
        self.games = [Game(self, seed + i) for i in range(num_envs)]

    def reset(self, mask: np.ndarray | None = None) -> None:
        for i, game in enumerate(self.games):
            if mask is None or mask[i]:
                game.start()

    def sample_actions(self) -> list[int]:
        return [game.sample() for game in self.games]

    def observe(self, position: Position) -> np.ndarray:
        return position.observation(self.observation, self.dtype)

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
            expected = game.position.action_mask()
            if game.over:
                expected[:] = 0
                expected[-1] = 1
            assert mask.tolist() == expected.tolist()
            assert player == game.position.to_play

    def check_step(self, actions: list[int], step: tuple) -> int:
        """Play the actions and compare everything that the environment returned for them."""
        observations, rewards, terminations, truncations, info = step
        results = [game.step(a) for game, a in zip(self.games, actions, strict=True)]
        self.check_view(observations, info)
        assert rewards.tolist() == [result["reward"] for result in results]
        ended = [result["ended"] for result in results]
        assert terminations.tolist() == ended
        assert not truncations.any()
        seen = {"action_mask", "to_play"}
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
                    assert np.flatnonzero(final_info["action_mask"][i]).tolist() == [
                        self.variant.pass_action
                    ]
                    assert final_info["winner"][i] == result["winner"]
            elif "final_obs" in info:
                assert info["final_obs"][i] is None
        return sum(ended)
