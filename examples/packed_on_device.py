"""Keep observations packed, and expand them on the device of the network.

    python examples/packed_on_device.py

A packed observation takes 8 bytes, a flat observation 224, and a flat observation with its mask
289. So only packed observations are moved to the device, where the flat observations and masks are
made. The device is a GPU if PyTorch finds one, the CPU with PyTorch, or NumPy without PyTorch.
"""

from __future__ import annotations

import argparse
import importlib.util
from typing import Any

import numpy as np

from mijnlieff import VectorEnv
from mijnlieff.encoding import expand_packed

CELLS, TYPES = 16, 4


class Device:
    """The device of the network: ``"numpy"``, or the name of a PyTorch device."""

    def __init__(self, name: str) -> None:
        """Choose the library for the device."""
        self.name = name
        if name == "numpy":
            self.package: Any = np
        else:
            import torch

            self.package = torch

    def put(self, array: np.ndarray) -> Any:
        """Return the array on the device; uint64 as int64, which PyTorch supports better."""
        if self.package is np:
            return array
        if array.dtype == np.uint64:
            array = array.view(np.int64)
        return self.package.from_numpy(array).to(self.name)

    def fetch(self, array: Any) -> np.ndarray:
        """Return an array of the device as a NumPy array."""
        return array if self.package is np else array.cpu().numpy()

    def see(self, packed: np.ndarray) -> tuple[Any, Any]:
        """Move packed observations of the standard game and expand them on the device.

        Args:
            packed: uint64 ``(B,)``.

        Returns:
            The flat observations, float32 ``(B, 56)``, and the legal actions, bool ``(B, 65)``.
        """
        flat = expand_packed(self.put(packed))
        allowed, held = flat[:, 2 * CELLS : 3 * CELLS] > 0, flat[:, 3 * CELLS :][:, :TYPES] > 0
        placements = (held[:, :, None] & allowed[:, None, :]).reshape(len(packed), TYPES * CELLS)
        must_pass = ~placements.any(1)[:, None]
        return flat, self.package.concatenate([placements, must_pass], 1)


def play(device: Device, games: int, steps: int) -> int:
    """Play games with a network of random weights; return how many games ended."""
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
    """Play games and print the number of bytes moved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", help="numpy, cpu, cuda ... (default: the best available)")
    parser.add_argument("--games", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=100)
    args = parser.parse_args()
    device = Device(args.device or best_device())
    finished = play(device, args.games, args.steps)
    taken = args.games * args.steps
    print(
        f"{taken:,} steps and {finished:,} games on {device.name}: "
        f"{8 * taken:,} bytes moved to the device instead of {289 * taken:,}"
    )


def best_device() -> str:
    """Return cuda if PyTorch supports it, cpu if PyTorch is installed, or numpy."""
    if importlib.util.find_spec("torch") is None:
        return "numpy"
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


if __name__ == "__main__":
    main()
