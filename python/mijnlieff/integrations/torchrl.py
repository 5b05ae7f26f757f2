"""Many games at once as a TorchRL environment, and TorchRL actors as policies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex, Unpack

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mijnlieff._mijnlieff import SEEDS, Canvas, Position, observe_batch
from mijnlieff._util.arguments import seed_of
from mijnlieff._util.extras import needs
from mijnlieff.envs.adapted import AdaptedGames
from mijnlieff.envs.options import EnvOptions
from mijnlieff.envs.vector import VectorEnv
from mijnlieff.errors import PolicyError
from mijnlieff.policies import FunctionPolicy
from mijnlieff.policies.model import Layout
from mijnlieff.rules import VariantLike

with needs("mijnlieff.integrations.torchrl", "TorchRL", "torchrl", "torchrl>=0.11"):
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torch import Tensor
    from torchrl.data import Binary, Bounded, Categorical, Composite, OneHot, Unbounded
    from torchrl.data.utils import ACTION_SPACE_MAP
    from torchrl.envs import EnvBase
    from torchrl.envs.utils import ExplorationType, set_exploration_type

__all__ = ["ActorPolicy", "MijnlieffEnv"]


class _SharedMask:
    """An action spec whose copies share its mask.

    Transforms, collectors and random policies keep copies of the spec. With a copied mask they
    would draw actions that were legal in an earlier position.
    """

    mask: Tensor | None

    def clone(self) -> Any:
        copy = super().clone()  # type: ignore[misc]
        copy.mask = self.mask
        return copy


class _LegalAction(_SharedMask, Categorical):
    """An action as its index."""


class _LegalOneHot(_SharedMask, OneHot):
    """An action as a row of bools, one of which is true."""


# Actors and losses of Q-learning look up the encoding of actions by the exact class of the spec.
ACTION_SPACE_MAP[_LegalAction] = ACTION_SPACE_MAP[Categorical]
ACTION_SPACE_MAP[_LegalOneHot] = ACTION_SPACE_MAP[OneHot]


class MijnlieffEnv(AdaptedGames, EnvBase):
    """Many games, stepped together in native code, as a TorchRL environment.

    The games are those of `VectorEnv`: against an ``opponent`` the agent plays one side of each, an
    ordinary task for a single agent; ``opponent=None`` is self-play, every step acts for the side
    to move, and the reward belongs to the player who acted. **Estimators of self-play need a
    negative discount**, because the next value is the opponent's: ``gamma=-1`` instead of 1. So
    the option has no default.

    Collectors reset games that have ended; until then they stay at their last position, whose
    observation is in ``("next", "observation")``. Actions drawn from `action_spec`, also from its
    copies in transforms and random policies, are legal in the current positions.

    Args:
        num_envs: number of games, 1 to 2**24; the batch size is ``[num_envs]``.
        device: where tensors go; None is the CPU. The games themselves are played on the CPU.
        categorical_action_encoding: True for actions as int64 ``(num_envs,)``, False for one-hot
            bool ``(num_envs, num_actions)``.
        variant: the game to play; None is the standard game.
        **options: those of `VectorEnv`, except ``autoreset`` and ``copy``, with an ``opponent``.

    Raises:
        ValueError: an option has an unknown value, or one that TorchRL cannot work with; the
            message says what to use instead.
        TypeError: an option does not exist or has a wrong type, or there is no ``opponent``.

    Keys, each with the leading axis ``num_envs``:

    - ``"observation"``: float32 or uint8, in the chosen layout; packed ones as int64 with the same
      bits, which `expand_packed` takes.
    - ``"action_mask"``: bool ``(num_envs, num_actions)``; at the end of a game only the pass.
    - ``"variant"``, with the option ``variants`` only: int64 ``(num_envs, 1)``, the index of the
      game's variant.
    - ``"to_play"``: int8 ``(num_envs, 1)``, 0 Light, 1 Dark: the side that sees the observation.
      Against an opponent it is the agent's, except at the end of a game that the agent has ended.
    - ``"reward"``: float32 ``(num_envs, 1)``, 0 until the game ends.
    - ``"done"``, ``"terminated"`` and ``"truncated"`` (never): bool ``(num_envs, 1)``.
    """

    def __init__(
        self,
        num_envs: SupportsIndex,
        device: torch.device | str | int | None = None,
        *,
        categorical_action_encoding: bool = True,
        variant: VariantLike | None = None,
        **options: Unpack[EnvOptions],
    ) -> None:
        """Make the games; `reset` starts them."""
        _check_options(options)
        options["autoreset"] = "disabled"
        games = VectorEnv(num_envs, variant, **options)
        super().__init__(device=device, batch_size=[games.num_envs])
        self._games = games
        self._one_hot = not categorical_action_encoding
        self._seed: int | None = None
        self._unseeded = np.zeros(games.num_envs, np.bool_)
        self._over = np.zeros(games.num_envs, np.bool_)
        self._with_variant_index = options.get("variants") is not None
        self._make_specs(options.get("observation"), options.get("reward", "outcome"))

    def _make_specs(self, observation: str | None, reward: str) -> None:
        games, batch, device = self._games, self.batch_size, self._place
        space: Any = games.single_observation_space
        num_actions = games.num_actions
        shape = (*batch, *space.shape)
        if observation == "packed":
            seen = Unbounded(shape, dtype=torch.int64, device=device)
        else:
            high = torch.from_numpy(space.high).to(device)
            low = torch.zeros_like(high)
            seen = Bounded(
                low.expand(shape), high.expand(shape), shape, device=device, dtype=high.dtype
            )
        self.observation_spec = Composite(
            observation=seen,
            action_mask=Binary(num_actions, (*batch, num_actions), device, torch.bool),
            to_play=Categorical(2, (*batch, 1), device, torch.int8),
            shape=batch,
            device=device,
        )
        if self._with_variant_index:
            count = len(games.variants)
            self.observation_spec["variant"] = Categorical(count, (*batch, 1), device, torch.int64)
        if self._one_hot:
            self.action_spec = _LegalOneHot(num_actions, (*batch, num_actions), device)
        else:
            self.action_spec = _LegalAction(num_actions, batch, device, torch.int64)
        most = 1 if reward == "outcome" else max(it.max_margin for it in games.variants)
        self.reward_spec = Bounded(-most, most, (*batch, 1), device, torch.float32)
        ended = Categorical(2, (*batch, 1), device, torch.bool)
        self.full_done_spec = Composite(
            {name: ended.clone() for name in ("done", "terminated", "truncated")},
            shape=batch,
            device=device,
        )
        self._share(torch.ones((*batch, num_actions), dtype=torch.bool, device=device))

    @property
    def _place(self) -> torch.device:
        return torch.device("cpu") if self.device is None else self.device

    def render(self) -> Any:
        """Draw every game: uint8 ``(num_envs, height, width, 3)``, or a tuple of texts.

        The option ``render_mode`` of `VectorEnv` says which; without one it is None. Pictures of
        several variants are a tuple, as their sizes differ.
        """
        drawn: Any = self._games.render()
        stacks = self._games.render_mode == "rgb_array" and self.variant is not None
        return np.stack(drawn) if stacks else drawn

    def to(self, device: torch.device | str | int) -> MijnlieffEnv:
        """Send tensors to another device from now on."""
        moved: MijnlieffEnv = super().to(device)
        moved._share(moved._mask.to(moved._place))
        return moved

    def close(self, *, raise_if_closed: bool = True) -> None:
        """Give the memory of the games back; later steps raise `ClosedEnvError`."""
        super().close(raise_if_closed=raise_if_closed)
        self._games.close()

    def _set_seed(self, seed: int | None) -> None:
        """Game ``i`` has seed ``seed + i`` from its next reset on; None changes nothing."""
        if seed is not None:
            self._seed = seed_of(seed)
            self._unseeded[:] = True

    def _reset(self, tensordict: TensorDictBase | None, **kwargs: Any) -> TensorDictBase:
        chosen = None if tensordict is None else tensordict.get("_reset", None)
        mask = np.ones(len(self._over), np.bool_) if chosen is None else _mask_of(chosen)
        if mask.any():
            options = None if mask.all() else {"reset_mask": mask}
            observations, info = self._games.reset(seed=self._seeds_of(mask), options=options)
        else:
            observations, info = self._games._batch.observe()
        self._over[mask] = self._unseeded[mask] = False
        if not self._unseeded.any():
            self._seed = None
        return self._result(observations, info)

    def _seeds_of(self, mask: NDArray[np.bool_]) -> list[int | None] | None:
        """Return the seeds that the chosen games have still to use."""
        if self._seed is None:
            return None
        due = self._unseeded & mask
        return [(self._seed + i) % SEEDS if due[i] else None for i in range(len(due))]

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        actions = self._actions(tensordict["action"])
        chosen = tensordict.get("_step", None)
        if chosen is None or chosen.all():
            observations, rewards, ended, _, info = self._games.step(actions)
            self._over = ended.copy()
        else:
            observations, rewards, info = self._step_some(actions, _mask_of(chosen))
        result = self._result(observations, info)
        result.set("reward", torch.from_numpy(rewards).to(self._place).unsqueeze(-1))
        return result

    def _step_some(
        self, actions: NDArray[Any], chosen: NDArray[np.bool_]
    ) -> tuple[NDArray[Any], NDArray[np.float32], dict[str, Any]]:
        """Step the chosen games; the others, some of which may be over, stay as they are."""
        games = self._games
        batch, numbers = games._batch, games._numbers
        started, before = batch.state()
        try:
            if (idle := self._over & ~chosen).any():
                games.set_positions([Position(games.variants[0])] * int(idle.sum()), mask=idle)
            anything = games.action_masks().argmax(axis=1)
            actions = np.where(chosen, actions, anything)
            _, rewards, ended, _, _ = games._step_asking(actions, chosen)
        except BaseException:
            batch.restore((started, before))
            games._numbers = numbers
            raise
        after = batch.state()[1]
        batch.restore(
            (True, [new if it else old for it, new, old in zip(chosen, after, before, strict=True)])
        )
        games._numbers = numbers and numbers.after_step(ended, restart=False, games=chosen)
        self._over[chosen] = ended[chosen]
        observations, info = batch.observe()
        return observations, np.where(chosen, rewards, np.float32(0)), info

    def _actions(self, actions: Tensor) -> NDArray[Any]:
        """Return the actions as indices."""
        if self._one_hot:
            expected = (*self.batch_size, self._games.num_actions)
            if actions.shape != expected:
                raise ValueError(
                    f"one-hot actions have shape {expected}, not {tuple(actions.shape)}; for "
                    "actions as indices use categorical_action_encoding=True"
                )
            actions = _indices(actions)
        elif actions.dtype == torch.bool:  # a step of some games would make integers of them
            raise TypeError("actions must be integers, not bool")
        indices: NDArray[Any] = actions.detach().cpu().numpy()
        return indices

    def _result(self, observations: NDArray[Any], info: dict[str, Any]) -> TensorDict:
        """Return the tensors of the current positions."""
        arrays = {
            "observation": _storable(observations),
            "action_mask": info["action_mask"].view(np.bool_),
            "to_play": info["to_play"][:, None],
            "terminated": self._over[:, None].copy(),
        }
        if self._with_variant_index:
            arrays["variant"] = info["variant"][:, None]
        place = self._place
        tensors = {key: torch.from_numpy(value).to(place) for key, value in arrays.items()}
        tensors["done"] = tensors["terminated"].clone()
        tensors["truncated"] = torch.zeros_like(tensors["done"])
        # A caller who changes the mask in a result must not change the mask of the specs.
        self._share(self._mask.copy_(tensors["action_mask"]))
        return TensorDict(tensors, batch_size=self.batch_size, device=self.device)

    def _share(self, mask: Tensor) -> None:
        """Make this tensor the mask of the action spec, also if another mask was set."""
        self._mask = mask
        self.full_action_spec["action"].mask = mask


def _check_options(options: EnvOptions) -> None:
    if "opponent" not in options:
        raise TypeError(
            "choose an opponent: a player such as opponent='random' for a task of a single agent, "
            "or opponent=None for self-play, where estimators need a negative discount"
        )
    if "autoreset" in options:
        raise ValueError(
            f"autoreset={options['autoreset']!r}: TorchRL resets games that have ended by partial "
            "resets; leave the option out"
        )
    if not options.get("copy", True):
        raise ValueError(
            "copy=False: TorchRL keeps the tensors of earlier steps, which the next step would "
            "overwrite; leave the option out"
        )
    if options.get("auto_pass") and options["opponent"] is None:
        raise ValueError(
            "auto_pass=True in self-play: a player may act twice in a row, and the discount of -1 "
            "would give wrong signs; leave the option out, or choose an opponent"
        )


def _indices(actions: Tensor) -> Tensor:
    """Return one-hot actions ``(N, num_actions)`` as indices.

    Raises:
        ValueError: a row is not one 1 among zeros.
    """
    ones = actions == 1
    right = (ones.sum(-1) == 1) & (ones | (actions == 0)).all(-1)
    if (wrong := (~right).nonzero()).numel():
        game = int(wrong[0])
        raise ValueError(
            f"a one-hot action is one 1 among zeros, but that of game {game} has "
            f"{int(ones[game].sum())} ones and the values {sorted(set(actions[game].tolist()))}"
        )
    return ones.to(torch.uint8).argmax(-1)


def _storable(observations: NDArray[Any]) -> NDArray[Any]:
    """Return packed observations as int64, as PyTorch has few operations for uint64."""
    return observations.view(np.int64) if observations.dtype == np.uint64 else observations


def _mask_of(games: Tensor) -> NDArray[np.bool_]:
    mask: NDArray[np.bool_] = games.detach().cpu().numpy().reshape(-1).astype(np.bool_)
    return mask


class ActorPolicy(FunctionPolicy):
    """A policy from a TorchRL actor, for `evaluate`, `grade` and as an opponent.

    The actor is called with a `TensorDict` of batch size ``[B]`` that has the keys
    ``"observation"``, ``"action_mask"`` and ``"to_play"`` of `MijnlieffEnv`, and must write a legal
    ``"action"``, int64 ``(B,)`` or one-hot ``(B, num_actions)``.

    Args:
        actor: a `TensorDictModule` such as a `ProbabilisticActor`.
        observation: the layout of observations that the actor was trained with; None is flat, and
            planes on a canvas.
        dtype: their type, float32 or uint8.
        deterministic: True takes the most likely action, False draws from PyTorch's generator.
        device: the device of the actor; None is the CPU.
        batch_size: the most positions passed to the actor at once.
        canvas: the `VectorEnv.canvas` of an environment with ``variants`` or a canvas.

    Raises:
        ValueError: unknown layout, a canvas and another layout than planes, or a batch size below
            1.
        TypeError: the actor cannot be called, the dtype is another one, the batch size is not an
            integer, or not a canvas.
    """

    def __init__(
        self,
        actor: Any,
        observation: Layout | None = None,
        dtype: DTypeLike = "float32",
        *,
        deterministic: bool = True,
        device: torch.device | str | int | None = None,
        batch_size: int = 4096,
        canvas: Canvas | None = None,
    ) -> None:
        """Check the settings."""
        if not callable(actor):
            raise TypeError(f"actor must be a TensorDictModule, not {actor!r}")
        super().__init__(
            actor, observation=observation, dtype=dtype, canvas=canvas, batch_size=batch_size
        )
        self.deterministic = deterministic
        self.device = torch.device("cpu" if device is None else device)

    def __repr__(self) -> str:
        """Return the settings; the actor is shown by its class."""
        return (
            f"ActorPolicy({type(self.fn).__name__}, observation={self.observation!r}, "
            f"deterministic={self.deterministic})"
        )

    def _ask(self, positions: Sequence[Position], masks: NDArray[np.int8]) -> Any:
        kind = ExplorationType.DETERMINISTIC if self.deterministic else ExplorationType.RANDOM
        with torch.no_grad(), set_exploration_type(kind):
            written = self.fn(self._seen(positions, masks))
        if not isinstance(written, TensorDictBase):
            raise PolicyError(f"{self!r} returned {written!r} and not a TensorDict")
        chosen = written.get("action", None)
        if chosen is None:
            raise PolicyError(f"{self!r} did not write the key 'action'")
        if chosen.shape == masks.shape:
            try:
                chosen = _indices(chosen)
            except ValueError as error:
                raise PolicyError(f"{self!r}: {error}") from error
        return chosen

    def _seen(self, positions: Sequence[Position], masks: NDArray[np.int8]) -> TensorDict:
        """Return what the environment shows of these positions."""
        seen = _storable(observe_batch(positions, self.observation, self.dtype, self.canvas))
        sides = np.array([[position.to_play] for position in positions], np.int8)
        arrays = {"observation": seen, "action_mask": masks.view(np.bool_), "to_play": sides}
        tensors = {key: torch.from_numpy(value) for key, value in arrays.items()}
        return TensorDict(tensors, batch_size=[len(positions)]).to(self.device)
