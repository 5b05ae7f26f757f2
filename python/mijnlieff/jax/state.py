"""The state of a game as Pgx has it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mijnlieff._mijnlieff import Variant
from mijnlieff.jax.convert import to_position, to_positions
from mijnlieff.jax.frameworks import core, dataclass, field
from mijnlieff.jax.game import GameState
from mijnlieff.render.gallery import Gallery
from mijnlieff.render.to_svg import svg

if TYPE_CHECKING:
    import jax

__all__ = ["State"]

_SIZE = 320
_SCALES = 0.1, 25.6  # 32 to 8192 pixels, the sizes of a drawing


@dataclass
class State(core.State):
    """The state of one game, or of a batch of games with one more axis in front.

    A state is immutable and a pytree. `Mijnlieff.init` makes it, `to_positions` turns it into
    `mijnlieff.Position` objects.

    Attributes:
        current_player: int32, the Pgx player who acts next. Which of 0 and 1 is Light is drawn by
            `Mijnlieff.init`, and the other is Dark.
        observation: the view of that player, see `Mijnlieff`.
        rewards: float32 ``(2,)``, by Pgx player; 0 unless the last step has ended the game.
        terminated: bool, whether the game is over.
        truncated: bool, always False unless a wrapper sets it.
        legal_action_mask: bool ``(num_actions,)``; all True when the game is over.
    """

    current_player: jax.Array
    observation: jax.Array
    rewards: jax.Array
    terminated: jax.Array
    truncated: jax.Array
    legal_action_mask: jax.Array
    _step_count: jax.Array
    _x: GameState
    _variant: Variant = field(pytree_node=False)

    @property
    def env_id(self) -> Any:
        """The id of the environment, ``"mijnlieff"``."""
        return "mijnlieff"

    def to_svg(
        self, *, color_theme: Literal["light", "dark"] | None = None, scale: float | None = None
    ) -> str:
        """Return the position as an SVG text, or those of a batch side by side.

        The drawing is that of `mijnlieff.Position`, as Pgx draws its own games only.

        Args:
            color_theme: without effect, as the drawing suits light and dark pages.
            scale: 1 draws a board with a longer side of 320 pixels; None is 1.

        Raises:
            ValueError: a scale that is not 0.1 to 25.6, for 32 to 8192 pixels.
        """
        scale = 1.0 if scale is None else scale
        if not _SCALES[0] <= scale <= _SCALES[1]:
            raise ValueError(f"scale must be {_SCALES[0]} to {_SCALES[1]}, not {scale!r}")
        size = round(_SIZE * scale)
        if self.terminated.ndim == 0:
            return svg(to_position(self), size=size)
        return Gallery(to_positions(self), size=size)._repr_svg_()

    def save_svg(
        self,
        filename: Any,
        *,
        color_theme: Literal["light", "dark"] | None = None,
        scale: float | None = None,
    ) -> None:
        """Write the drawing of `to_svg` to a file.

        Raises:
            ValueError: the name does not end with ``.svg``, or a scale as for `to_svg`.
        """
        path = Path(filename)
        if path.suffix != ".svg":
            raise ValueError(f"the name of the file must end with .svg, not {str(filename)!r}")
        path.write_text(self.to_svg(color_theme=color_theme, scale=scale), encoding="utf-8")
