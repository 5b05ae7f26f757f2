"""A policy-value network with a token for each cell, for one board or for all that fit a canvas."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from mijnlieff._mijnlieff import MARGIN_UNIT, Canvas, Network, Variant
from mijnlieff.errors import PolicyError
from mijnlieff.train.network.geometry import CanvasGeometry, CellTables
from mijnlieff.train.network.trunk import CellTrunk

__all__ = ["ILLEGAL_LOGIT", "CellNetwork", "check_finite", "masked_log_softmax", "share_hands"]

# Far below every real logit, so that exp of it is exactly 0; finite, since 0 * inf is NaN.
ILLEGAL_LOGIT = -1e9
_BATCH = 512
"""Positions in a call: what is computed for many more does not fit in the caches of a processor."""
_DEVICE_BATCH = 16384
"""Positions in a call on another device, which small batches leave idle."""


class CellNetwork(CellTrunk):
    """Logits for every action and two values for the side to move.

    For a variant, it reads flat observations and knows its actions; all that follows from the shape
    of the board is computed once. For a canvas, it reads planes, and serves every board that fits:
    where on the canvas the board lies makes no difference, and slots without a cell cost nothing.
    The weights are of the same kind. A rotated position may have another answer, so positions
    should be learned in all orientations.

    Attributes:
        variant: the only game that it plays; None for a canvas.
        canvas: the canvas; None for a variant.
        copies: pieces of each type that each player starts with.
        num_actions: of the variant or the canvas.
        geometry: the tables of the canvas, or of the rectangle around the board.
    """

    variant: Variant | None
    canvas: Canvas | None
    dtype = "float32"

    def __init__(
        self,
        scope: Variant | Canvas,
        units: int,
        layers: int,
        heads: int,
        *,
        copies: int | None = None,
    ) -> None:
        """Draw random weights from PyTorch's global generator.

        Args:
            scope: the only game that the network can play, or a canvas.
            units: numbers for each cell in every layer, rounded up to a multiple of `heads`.
            layers: how many.
            heads: kernels of each layer; each serves an equal part of the units.
            copies: pieces of each type that each player starts with; needed with a canvas.
        """
        around = Canvas.around([scope]) if isinstance(scope, Variant) else scope
        geometry = CanvasGeometry(around.height, around.width)
        super().__init__(geometry.num_offsets, units, layers, heads)
        self.geometry = geometry
        self.num_actions = scope.num_actions
        self._tables: CellTables | None = None
        if isinstance(scope, Variant):
            self.variant, self.canvas, self.copies = scope, None, scope.copies
            exists = torch.zeros(1, around.height * around.width)
            exists[0, [y * around.width + x for x, y in scope.board.cells]] = 1
            self._tables = geometry.tables(exists)
        else:
            assert copies is not None  # a canvas does not say them
            self.variant, self.canvas, self.copies = None, scope, copies

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return next(self.parameters()).device

    @property
    def observation(self) -> Literal["flat", "planes"]:
        """The layout of its observations."""
        return "flat" if self.canvas is None else "planes"

    def check_variant(self, variant: Variant) -> None:
        """Raise unless the network knows the board and the number of copies of a variant.

        Args:
            variant: the game to play.

        Raises:
            PolicyError: the network cannot play it.
        """
        if self.variant is not None:
            known = (variant.board, variant.copies) == (self.variant.board, self.variant.copies)
            trained = f"on {self.variant!r}"
        else:
            height, width = self.geometry.height, self.geometry.width
            known = (
                variant.board.height <= height
                and variant.board.width <= width
                and variant.copies == self.copies
            )
            trained = f"on boards that fit {height} x {width} cells, with {self.copies} copies"
        if not known:
            raise PolicyError(f"the network was trained {trained} and cannot play {variant!r}")

    def from_counts(self, counts: Tensor) -> Tensor:
        """Convert observations of counts to float.

        Args:
            counts: uint8 in the shape of `forward`, with hands as counts; on any device.

        Returns:
            float32, with hands as shares of the copies, on the network's device.
        """
        observations = counts.to(self.device).float()
        share_hands(observations, self.copies)
        return observations

    def outputs(self, counts: Tensor, precision: str) -> tuple[Tensor, Tensor]:
        """Evaluate positions to learn from them.

        Args:
            counts: observations as `from_counts` takes them.
            precision: what products are computed in, see `TrainConfig`.

        Returns:
            Logits and values, float32, on the network's device.
        """
        with self._autocast(precision):
            logits, values = self(self.from_counts(counts))
        return logits.float(), values.float()

    def outputs_with_regrets(self, counts: Tensor, precision: str) -> tuple[Tensor, Tensor, Tensor]:
        """Evaluate positions to learn from them, and what each placement loses.

        Args:
            counts: as in `outputs`.
            precision: as in `outputs`.

        Returns:
            Logits and values as `outputs`, and in units of `MARGIN_UNIT` points how much less each
            placement reaches than the best action, float32 `(B, num_actions - 1)`.
        """
        with self._autocast(precision):
            logits, values, tokens, tables = self._evaluate(self.from_counts(counts))
            regrets = self._by_action(self.regrets(tokens), tables)
        return logits.float(), values.float(), regrets.float()

    def _autocast(self, precision: str) -> torch.autocast:
        is_mixed = precision == "bfloat16"
        return torch.autocast(self.device.type, torch.bfloat16, enabled=is_mixed)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Evaluate positions.

        Args:
            observations: float32, `(B, 3 * num_cells + 8)` for a variant; for a canvas `(B, 12, H,
                W)`, each with at least one cell.

        Returns:
            logits: float32 `(B, num_actions)`, not masked; 0 where a canvas has no cell.
            values: float32 `(B, 2)` for the side to move: expected outcome (-1 to 1) and expected
                final margin in units of `MARGIN_UNIT` points.
        """
        logits, values, _, _ = self._evaluate(observations)
        return logits, values

    def _evaluate(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor, CellTables]:
        """What `forward` gives, the tokens after the last layer, and the tables of the cells."""
        with torch.no_grad():
            if self._tables is not None:
                tables = self._tables = self._tables.to(observations.device)
                parts = observations[:, :-8].view(len(observations), 3, -1)
                hands = observations[:, -8:]
            else:
                planes = observations.flatten(2)
                tables = self.geometry.tables(planes[:, 3])
                parts = planes[:, :3].gather(2, tables.where[:, None].expand(-1, 3, -1))
                hands = planes[:, 4:, 0]
            inputs, margins = tables.inputs(*parts.unbind(1))
            allowed = inputs[:, :, 2].sum(dim=1, keepdim=True) / tables.size
            global_features = torch.cat([hands, allowed, margins / MARGIN_UNIT], dim=1)
        if self._tables is not None:
            kernels = self.offsets(tables.pairs[0]).permute(2, 0, 1)
            placed, rest, tokens = self.evaluate_tokens(inputs, global_features, kernels)
        else:
            kernels = self.offsets(tables.pairs).permute(3, 0, 1, 2).contiguous()
            if not bool(tables.is_cell.all()):
                kernels = kernels * tables.is_cell[:, None, :]  # nothing is heard from padding
            placed, rest, tokens = self.evaluate_tokens(
                inputs, global_features, kernels, tables.is_cell
            )
        logits = torch.cat([self._by_action(placed, tables), rest[:, :1]], dim=1)
        values = torch.cat([torch.tanh(rest[:, 1:2]), rest[:, 2:]], dim=1)
        return logits, values, tokens, tables

    def _by_action(self, placed: Tensor, tables: CellTables) -> Tensor:
        """Numbers of the four placements on each cell by action, `(B, num_actions - 1)`."""
        if self._tables is not None:
            return placed.transpose(1, 2).flatten(1)
        slots = self.geometry.height * self.geometry.width
        # Padding tokens get a slot behind the last one, which is cut off.
        target = torch.where(tables.is_cell, tables.where, slots)[:, :, None].expand(-1, -1, 4)
        found = placed.new_zeros(len(placed), slots + 1, 4).scatter(1, target, placed)
        return found[:, :slots].transpose(1, 2).flatten(1)

    def set_gradients(self, loss: Tensor, max_norm: float) -> Tensor:
        """Set the gradients of the weights to those of a loss, with a norm of at most `max_norm`.

        Returns:
            The norm before that, see `check_finite`.
        """
        self.zero_grad()
        torch.autograd.backward(loss)
        norm: Tensor = nn.utils.clip_grad_norm_(self.parameters(), max_norm)
        return norm

    @torch.no_grad()
    def evaluate(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Evaluate positions with the current weights.

        Args:
            observations: float32, in the layout of the network.
            masks: unused, as the logits of illegal actions do not matter.

        Returns:
            Logits, float32 `(B, num_actions)`, and values for the side to move, float32 `(B, 2)`:
            expected outcome, and expected final margin in units of `MARGIN_UNIT` points.
        """
        batch = _BATCH if self.device.type == "cpu" else _DEVICE_BATCH
        parts = torch.split(torch.from_numpy(np.ascontiguousarray(observations)), batch)
        outputs = [self(part.to(self.device)) for part in parts]
        logits, values = (torch.cat(one).cpu().numpy() for one in zip(*outputs, strict=True))
        return logits, values

    def weights(self) -> NDArray[np.float32]:
        """All weights and biases that `forward` uses, layer by layer, float32 `(num_weights,)`."""
        weights = [parameter.detach().cpu().float().numpy() for parameter in self._evaluating()]
        return np.concatenate([weight.ravel() for weight in weights])

    @torch.no_grad()
    def load_weights(self, weights: NDArray[np.float32]) -> None:
        """Take weights as `weights` gives them.

        Args:
            weights: float32 `(num_weights,)`.
        """
        parameters = self._evaluating()
        parts = torch.split(torch.from_numpy(weights), [one.numel() for one in parameters])
        for parameter, part in zip(parameters, parts, strict=True):
            parameter.copy_(part.view_as(parameter))

    def _evaluating(self) -> list[nn.Parameter]:
        """The weights that `forward` uses, in the order of a network's file."""
        for_learning = set(self.regrets.parameters())
        return [one for one in self.parameters() if one not in for_learning]

    def to_native(self) -> Network:
        """See `Network.from_torch`."""
        sizes = self.units, len(self.blocks), self.heads
        if self.variant is not None:
            return Network.of_cells(self.variant, *sizes, self.weights())
        assert self.canvas is not None  # it is for one of the two
        return Network.on_canvas(self.canvas, self.copies, *sizes, self.weights())


def check_finite(norm: Tensor, loss: Tensor) -> None:
    """Raise unless the gradients can be learned from; this waits for the device.

    Args:
        norm: their norm, as `CellNetwork.set_gradients` returns it.
        loss: the loss.

    Raises:
        FloatingPointError: one of them is not finite.
    """
    if not bool(torch.isfinite(loss) & torch.isfinite(norm)):
        raise FloatingPointError(f"loss {loss.item()}, gradient norm {norm.item()}")


def masked_log_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Log probabilities of the actions; illegal ones have probability 0.

    Args:
        logits: float32 `(B, num_actions)`.
        mask: bool `(B, num_actions)`, True where legal; at least one per row is.

    Returns:
        float32 `(B, num_actions)`.
    """
    return torch.log_softmax(logits.masked_fill(~mask, ILLEGAL_LOGIT), dim=1)


def share_hands(observations: Tensor | NDArray[Any], copies: int) -> None:
    """Turn the hands of observations from counts into shares, in place.

    Args:
        observations: float32, flat `(B, num_features)` or planes of a canvas `(B, 12, H, W)`.
        copies: pieces of each type that each player starts with.
    """
    hands = observations[:, -8:] if observations.ndim == 2 else observations[:, 4:]
    hands /= copies
