"""Layers of the network, which has a token for each cell of a board."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from mijnlieff.train.network.norms import normalized, normalized_linear

__all__ = ["CELL_FEATURES", "GLOBAL_FEATURES", "CellTrunk"]

CELL_FEATURES = 15
"""Own stone, opposing stone, allowed; for each side the points that a stone there would score, and
the lines of three with one stone of that side alone; for each piece type the share of cells that
the opponent would be allowed, and whether there would be none."""

GLOBAL_FEATURES = 10
"""The shares of the copies in both hands, the share of cells that are allowed, and the margin so
far for the side to move, in units of `MARGIN_UNIT`."""


class CellTrunk(nn.Module):
    """Evaluates the tokens of positions; `CellNetwork` makes them and the kernels of observations.

    Each cell of the board is a token. In every layer a cell hears from all others, with weights
    that depend on how they lie to each other (`dx`, `dy`) and on whether a stone on one would reach
    the other along a line without a gap: a convolution whose kernels are as large as any board.

    Attributes:
        regrets: gives the points that each placement on a cell loses, for learning alone: tokens
            that tell them tell policy and values better.
    """

    def __init__(self, num_offsets: int, units: int, layers: int, heads: int) -> None:
        """Draw random weights from PyTorch's global generator.

        Args:
            num_offsets: ways in which a cell can lie to another one, see `CanvasGeometry`.
            units: numbers for each cell in every layer, rounded up to a multiple of `heads`.
            layers: how many.
            heads: kernels of each layer; each serves an equal part of the units.
        """
        super().__init__()
        units = -(-units // heads) * heads
        self.units, self.heads = units, heads
        self.cells = nn.Linear(CELL_FEATURES, units)
        self.globals = nn.Linear(GLOBAL_FEATURES, units, bias=False)
        self.offsets = nn.Embedding(num_offsets, layers * heads)
        self.blocks = nn.ModuleList(_Block(units, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(units)
        self.placements = nn.Linear(units, 4)
        self.summary = nn.Linear(units, units)
        self.outcome = nn.Linear(units, 3)  # and the pass
        nn.init.normal_(self.offsets.weight, std=0.15)
        for head in (self.placements, self.outcome):
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)
        self.regrets = nn.Linear(units, 4)
        nn.init.zeros_(self.regrets.weight)
        nn.init.zeros_(self.regrets.bias)

    def evaluate_tokens(
        self,
        inputs: Tensor,
        global_features: Tensor,
        kernels: Tensor,
        is_cell: Tensor | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Evaluate positions.

        Args:
            inputs: float32 `(B, T, CELL_FEATURES)`, 0 for padding.
            global_features: float32 `(B, GLOBAL_FEATURES)`.
            kernels: of all layers and heads, float32 `(layers * heads, T, T)`, or `(layers * heads,
                B, T, T)` with weights of 0 for what is heard from padding.
            is_cell: bool `(B, T)`, False for padding; None if there is none.

        Returns:
            Logits of the four placements on each cell, float32 `(B, T, 4)`; for each position the
            logit of the pass, the expected outcome before the tanh, and the margin, `(B, 3)`; and
            the tokens after the last layer, `(B, T, units)`, of which `regrets` reads.
        """
        tokens = self.cells(inputs) + self.globals(global_features)[:, None]
        of_blocks = kernels.unflatten(0, (len(self.blocks), -1)) if self.blocks else kernels
        for block, of_block in zip(self.blocks, of_blocks, strict=True):
            tokens = block(tokens, of_block)
        tokens = normalized(self.norm, tokens)
        if is_cell is None:
            mean = tokens.mean(dim=1)
        else:
            mean = (tokens * is_cell[:, :, None]).sum(dim=1) / is_cell.sum(dim=1, keepdim=True)
        rest = self.outcome(torch.relu(self.summary(mean)))
        return self.placements(tokens), rest, tokens


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
        """Update tokens `(B, T, units)` by the weights of their messages.

        Args:
            tokens: what the cells know.
            kernels: `(heads, T, T)`, or `(heads, B, T, T)`.
        """
        sent = torch.relu(normalized_linear(self.norm, self.message, tokens))
        tokens = tokens + self.gather(self._heard(sent, kernels))
        wide = torch.relu(normalized_linear(self.norm_inner, self.inner, tokens))
        changed: Tensor = self.outer(wide)
        return tokens + changed

    def _heard(self, sent: Tensor, kernels: Tensor) -> Tensor:
        count, length, units = sent.shape
        parts = sent.view(count, length, self._heads, -1)
        if kernels.dim() == 4:
            heard = kernels @ parts.permute(2, 0, 1, 3)
            return heard.permute(1, 2, 0, 3).reshape(count, length, units)
        # The same kernels for all positions: one product for each head.
        joined = parts.permute(2, 1, 0, 3).reshape(self._heads, length, -1)
        heard = (kernels @ joined).view(self._heads, length, count, -1)
        return heard.permute(2, 1, 0, 3).reshape(count, length, units)
