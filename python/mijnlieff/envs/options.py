"""The options that adapters pass on to `VectorEnv`, and their defaults for a single agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex

    from gymnasium.vector import AutoresetMode
    from numpy.typing import DTypeLike

    from mijnlieff._mijnlieff import Canvas
    from mijnlieff.policies.load import PolicyLike
    from mijnlieff.rules import VariantLike

__all__ = ["AGENT_OPTIONS", "EnvOptions"]


class EnvOptions(TypedDict, total=False):
    """The keyword arguments of `VectorEnv`, which describes them."""

    variants: Sequence[VariantLike] | None
    variant_weights: Sequence[float] | None
    canvas: Canvas | None
    opponent: PolicyLike | None
    seat: Literal["light", "dark", "random"]
    observation: Literal["flat", "planes", "packed"] | None
    dtype: DTypeLike
    reward: Literal["outcome", "margin"]
    autoreset: Literal["same_step", "next_step", "disabled"] | AutoresetMode
    auto_pass: bool
    illegal_action: Literal["raise", "lose"]
    random_plies: SupportsIndex
    num_threads: SupportsIndex | None
    copy: bool
    render_mode: str | None


AGENT_OPTIONS: EnvOptions = {"opponent": "random", "illegal_action": "lose"}
"""What an environment for one agent plays unless told otherwise."""
