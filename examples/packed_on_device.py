"""Keep observations packed, and expand them on the device where the network is.

    python examples/packed_on_device.py

A packed observation is 8 bytes; the flat one that a network wants is 224, with its mask 289. So
only the packed ones move to the device, and both numbers and mask are made there. With PyTorch
installed that is a GPU if there is one, otherwise NumPy plays the part of the device.
"""

from __future__ import annotations

import argparse
import importlib.util
from typing import Any

import numpy as np

from mijnlieff import VectorEnv, expand_packed

CELLS, TYPES = 16, 4


class Device:
    """Where the network computes: ``"numpy"``, or the name of a PyTorch device."""

    def __init__(self, name: str) -> None:
        """Choose the library that computes there."""
        self.name = name
        if name == "numpy":
            self.package: Any = np
        else:
            import torch

            self.package = torch

    def put(self, array: np.ndarray) -> Any:
        """Return the array on the device; unsigned words as signed ones, which PyTorch prefers."""
        if self.package is np:
            return array
        if array.dtype == np.uint64:
            array = array.view(np.int64)
        return self.package.from_numpy(array).to(self.name)

    def fetch(self, array: Any) -> np.ndarray:
        """Return an array of the device in NumPy's memory."""
        return array if self.package is np else array.cpu().numpy()

    def see(self, packed: np.ndarray) -> tuple[Any, Any]:
        """Move packed observations of the standard game and expand them on the device.

        Args:
            packed: uint64 ``(B,)``.

        Returns:
            The flat observations, float32 ``(B, 56)``, and what is legal, bool ``(B, 65)``.
        """
        flat = expand_packed(self.put(packed))
        allowed, held = flat[:, 2 * CELLS : 3 * CELLS] > 0, flat[:, 3 * CELLS :][:, :TYPES] > 0
        placements = (held[:, :, None] & allowed[:, None, :]).reshape(len(packed), TYPES * CELLS)
        must_pass = ~placements.any(1)[:, None]
        return flat, self.package.concatenate([placements, must_pass], 1)


def play(device: Device, games: int, steps: int) -> int:
    """Let a network of random weights play against itself; return how many games ended."""
    env = VectorEnv(games, observation="packed", copy=False)
    packed, _ = env.reset(seed=0)
    draw = np.random.default_rng(0)
    weights = device.put(draw.normal(size=(56, 65)).astype(np.float32))
    finished = 0
    for _ in range(steps):
        flat, legal = device.see(packed)
        logits = device.package.where(legal, flat @ weights, -np.inf)
        packed, _, ended, _, _ = env.step(device.fetch(logits.argmax(1)))
        finished += int(ended.sum())
    return finished


def main() -> None:
    """Play and tell what moved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", help="numpy, cpu, cuda ... (default: the best there is)")
    parser.add_argument("--games", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=100)
    args = parser.parse_args()
    device = Device(args.device or best_device())
    finished = play(device, args.games, args.steps)
    taken = args.games * args.steps
    print(
        f"{taken:,} steps and {finished:,} games on {device.name}: "
        f"{8 * taken:,} bytes moved there, not {289 * taken:,}"
    )


def best_device() -> str:
    """Return cuda if PyTorch has it, cpu if PyTorch is installed, or numpy."""
    if importlib.util.find_spec("torch") is None:
        return "numpy"
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


if __name__ == "__main__":
    main()
