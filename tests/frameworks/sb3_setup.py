"""What the tests of the Stable-Baselines3 adapter share."""

from __future__ import annotations

import gymnasium
import torch
from sb3_contrib import MaskablePPO

import mijnlieff

ID = "mijnlieff:Mijnlieff-v0"
IRREGULAR = mijnlieff.Variant(mijnlieff.Board.from_text("###.\n####\n.###"), opening="anywhere")
torch.set_num_threads(1)  # the models are small


def make(**options):
    return gymnasium.make(ID, **options)


def maskable(env, **options):
    settings = {"n_steps": 16, "batch_size": 64, "n_epochs": 2, "seed": 0, "device": "cpu"}
    settings["policy_kwargs"] = {"net_arch": [32]}
    return MaskablePPO("MlpPolicy", env, **(settings | options))
