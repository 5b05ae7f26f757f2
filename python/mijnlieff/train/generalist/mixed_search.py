"""Tree search over positions of several boards on a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mijnlieff import Frame, Position, TreeSearch

__all__ = ["MixedSearch"]


class MixedSearch:
    def __init__(
        self,
        positions: Sequence[Position],
        num_simulations: int,
        frame: Frame,
        seed: int,
        **options: Any,
    ) -> None:
        groups: dict[Any, list[int]] = {}
        for i, p in enumerate(positions):
            groups.setdefault(p.variant, []).append(i)
        self._n = len(positions)
        self._frame = frame
        self._parts = [
            (
                v,
                rows,
                frame.actions(v),
                TreeSearch(
                    [positions[i] for i in rows],
                    num_simulations,
                    observation="planes",
                    seed=seed + k * 100003,
                    **options,
                ),
            )
            for k, (v, rows) in enumerate(groups.items())
        ]

    def select(self) -> Any:
        waiting = []
        for v, _, acts, search in self._parts:
            b = search.select()
            if b is not None:
                waiting.append((v, acts, search, len(b), b))
        if not waiting:
            return None
        n = sum(w[3] for w in waiting)
        self.observation = np.zeros((n, *self._frame.observation_shape), np.float32)
        self.action_mask = np.zeros((n, self._frame.num_actions), np.int8)
        at = 0
        self._waiting = []
        for v, acts, search, k, b in waiting:
            o = b.observation
            self.observation[at : at + k, :4, : o.shape[2], : o.shape[3]] = o[:, :4]
            self.observation[at : at + k, 4:] = o[:, 4:, :1, :1]
            self.action_mask[at : at + k, acts] = b.action_mask
            self._waiting.append((search, acts, at, k))
            at += k
        return self

    def update(self, logits: Any, values: Any) -> None:
        logits, values = np.asarray(logits), np.asarray(values)
        for search, acts, at, k in self._waiting:
            search.update(np.ascontiguousarray(logits[at : at + k][:, acts]), values[at : at + k])

    def _gather(self, name: str, dtype: Any) -> NDArray[Any]:
        out = np.zeros((self._n, self._frame.num_actions), dtype)
        for _, rows, acts, search in self._parts:
            out[np.ix_(rows, acts)] = getattr(search, name)
        return out

    @property
    def policy_targets(self) -> NDArray[np.float32]:
        return self._gather("policy_targets", np.float32)

    @property
    def actions(self) -> NDArray[np.int64]:
        out = np.zeros(self._n, np.int64)
        for _, rows, acts, search in self._parts:
            out[rows] = acts[search.actions]
        return out

    @property
    def solved(self) -> NDArray[np.bool_]:
        out = np.zeros(self._n, np.bool_)
        for _, rows, _, search in self._parts:
            out[rows] = search.solved
        return out
