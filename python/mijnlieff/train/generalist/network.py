"""A policy-value network for every board that fits a frame: a convolution over the cells."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from mijnlieff.train.generalist.geometry import FrameGeometry

__all__ = ["FrameNetwork"]

_CELL_FEATURES = 15
_HAND_FEATURES = 8


class FrameNetwork(nn.Module):
    """Logits for every action on a frame and two values for the side to move.

    Each cell of the board is a token. In every layer a cell hears from all others, with weights
    that depend on how they lie to each other (`dx`, `dy`) and on whether a stone on one would reach
    the other along a line without a gap: a convolution whose kernels are as large as any board.
    Where on the frame the board lies makes no difference, and slots without a cell cost nothing.

    Attributes:
        height: rows of the frame.
        width: columns of the frame.
        copies: pieces of each type that each player starts with.
    """

    def __init__(
        self, height: int, width: int, copies: int, units: int, layers: int, heads: int
    ) -> None:
        """Draw random weights from PyTorch's global generator.

        Args:
            height: rows of the frame.
            width: columns of the frame.
            copies: pieces of each type that each player starts with.
            units: numbers for each cell in every layer, rounded up to a multiple of `heads`.
            layers: how many.
            heads: kernels of each layer; each serves an equal part of the units.
        """
        super().__init__()
        self.height, self.width, self.copies = height, width, copies
        units = -(-units // heads) * heads
        self.geometry = FrameGeometry(height, width)
        self.cells = nn.Linear(_CELL_FEATURES, units)
        self.hands = nn.Linear(_HAND_FEATURES + 1, units, bias=False)
        self.offsets = nn.Embedding(self.geometry.num_offsets, layers * heads)
        self.blocks = nn.ModuleList(_Block(units, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(units)
        self.placements = nn.Linear(units, 4)
        self.summary = nn.Linear(units, units)
        self.outcome = nn.Linear(units, 3)  # and the pass
        nn.init.normal_(self.offsets.weight, std=0.15)
        for head in (self.placements, self.outcome):
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return self.cells.weight.device

    def from_counts(self, counts: Tensor) -> Tensor:
        """Convert observations of counts to float.

        Args:
            counts: uint8 `(B, 12, H, W)`, with hands as counts; on any device.

        Returns:
            float32 `(B, 12, H, W)`, with hands as shares of the copies, on the network's device.
        """
        planes = counts.to(self.device).float()
        planes[:, 4:] /= self.copies
        return planes

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Evaluate positions.

        Args:
            observations: float32 `(B, 12, H, W)`; each has at least one cell.

        Returns:
            logits: float32 `(B, 4 * H * W + 1)`, not masked; 0 where there is no cell.
            values: float32 `(B, 2)` for the side to move: expected outcome (-1 to 1) and expected
                final margin in units of `MARGIN_UNIT` points.
        """
        planes = observations.flatten(2)
        count, _, slots = planes.shape
        with torch.no_grad():
            where, is_cell = _cells_of(planes[:, 3])
            size = is_cell.sum(dim=1, keepdim=True)
            seen, inputs = self._inputs(planes, where, is_cell)
            pairs = self._pairs(where, seen)
            allowed = inputs[:, :, 2].sum(dim=1, keepdim=True) / size
            hands = torch.cat([planes[:, 4:, 0], allowed], dim=1)
        tokens = self.cells(inputs) + self.hands(hands)[:, None]
        kernels = self.offsets(pairs).permute(3, 0, 1, 2).contiguous()
        if not bool(is_cell.all()):
            kernels = kernels * is_cell[:, None, :]  # nothing is heard from padding
        for block, of_block in zip(self.blocks, kernels.chunk(len(self.blocks)), strict=True):
            tokens = block(tokens, of_block)
        tokens = self.norm(tokens)
        # Padding tokens get a slot behind the last one, which is cut off.
        target = torch.where(is_cell, where, slots)[:, :, None].expand(-1, -1, 4)
        placed = tokens.new_zeros(count, slots + 1, 4).scatter(1, target, self.placements(tokens))
        mean = (tokens * is_cell[:, :, None]).sum(dim=1) / size
        rest = self.outcome(torch.relu(self.summary(mean)))
        logits = torch.cat([placed[:, :slots].transpose(1, 2).flatten(1), rest[:, :1]], dim=1)
        return logits, torch.cat([torch.tanh(rest[:, 1:2]), rest[:, 2:]], dim=1)

    def _inputs(self, planes: Tensor, where: Tensor, is_cell: Tensor) -> tuple[Tensor, Tensor]:
        """Which cells see each other `(B, 4, T, T)`, and the features of cells `(B, T, 15)`.

        Features: own stone, opposing stone, allowed; for each side the points that a stone there
        would score, and the lines of three with one stone of that side alone; for each piece type
        the share of cells that the opponent would be allowed, and whether there would be none.
        """
        geometry = self.geometry
        own, opposing, _, exists = planes[:, :4].unbind(1)
        empty = exists - own - opposing
        lines = geometry.lines
        whole = exists @ lines == 3
        own_on, opposing_on = own @ lines, opposing @ lines
        on_frame = [own, opposing, planes[:, 2]]
        for mine, theirs in ((own_on, opposing_on), (opposing_on, own_on)):
            for stones in (2, 1):
                alone = ((mine == stones) & (theirs == 0) & whole).float()
                on_frame.append((alone @ lines.t()) * empty)
        at = where[:, None]
        features = torch.stack(on_frame, dim=1)
        features = features.gather(2, at.expand(-1, features.shape[1], -1))
        runs = geometry.segments(exists).gather(2, at.expand(-1, 4, -1))
        same = runs[:, :, :, None] == runs[:, :, None, :]
        both = is_cell[:, :, None] & is_cell[:, None, :]
        other = both & ~torch.eye(where.shape[1], dtype=torch.bool, device=where.device)
        near = geometry.near[where[:, :, None], where[:, None, :]]
        straight, diagonal = same[:, 0] | same[:, 1], same[:, 2] | same[:, 3]
        reach = torch.stack([straight & other, diagonal & other, ~near & other, near & other], 1)
        free = empty.gather(1, where) * is_cell
        choices = (reach * free[:, None, None, :]).sum(dim=3)
        size = is_cell.sum(dim=1).view(-1, 1, 1)
        features = torch.cat([features, choices / size, (choices == 0).float()], dim=1)
        return (straight | diagonal) & both, (features * is_cell[:, None]).transpose(1, 2)

    def _pairs(self, where: Tensor, seen: Tensor) -> Tensor:
        """The row of the table of offsets for each pair of cells, int64 `(B, T, T)`."""
        return 2 * self.geometry.offsets[where[:, :, None], where[:, None, :]] + seen.long()


class _Block(nn.Module):
    """Messages between cells and a layer for each cell, with skip connections.

    The identity at first.
    """

    def __init__(self, units: int, heads: int) -> None:
        super().__init__()
        self._heads = heads
        self.norm = nn.LayerNorm(units)
        self.message = nn.Linear(units, units)
        self.gather = nn.Linear(units, units)
        self.norm_inner = nn.LayerNorm(units)
        self.inner = nn.Linear(units, 2 * units)
        self.outer = nn.Linear(2 * units, units)
        for last in (self.gather, self.outer):
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)

    def forward(self, tokens: Tensor, kernels: Tensor) -> Tensor:
        """Update tokens `(B, T, units)` by the weights of their messages `(heads, B, T, T)`."""
        count, length, units = tokens.shape
        sent = torch.relu(self.message(self.norm(tokens)))
        parts = sent.view(count, length, self._heads, -1).permute(2, 0, 1, 3)
        heard = (kernels @ parts).permute(1, 2, 0, 3).reshape(count, length, units)
        tokens = tokens + self.gather(heard)
        changed: Tensor = self.outer(torch.relu(self.inner(self.norm_inner(tokens))))
        return tokens + changed


def _cells_of(exists: Tensor) -> tuple[Tensor, Tensor]:
    """The slots of the cells of each board, int64 `(B, T)`, and which are not padding, bool.

    Padding repeats slots without a cell.
    """
    most = int((exists > 0).sum(dim=1).max())
    where = torch.sort((exists <= 0).int(), dim=1, stable=True).indices[:, :most]
    return where, exists.gather(1, where) > 0
