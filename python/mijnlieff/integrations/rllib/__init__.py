"""Environments and modules for Ray RLlib's new API stack (extra ``rllib``).

RLlib takes action masks from observations, which are dictionaries of ``"observations"`` and
``"action_mask"`` here, as its ``ActionMaskingTorchRLModule`` wants them. `MijnlieffMultiAgentEnv`
is one game of two agents, for self-play. `MaskedEnv` is an agent against an opponent inside the
environment, single or as a batch of native games. `RandomMaskedRLModule` and `PolicyRLModule` are
opponents for the first, and `RLModulePolicy` makes a trained module a policy for `evaluate`.

The environments can be named in ``config.environment(...)`` and are made on the workers, which need
the package too.
"""

from mijnlieff._util.extras import needs

with needs("the RLlib adapter", "Ray RLlib with PyTorch", "rllib", "ray>=2.52"):
    from mijnlieff.integrations.rllib.environments import MaskedEnv, MijnlieffMultiAgentEnv
    from mijnlieff.integrations.rllib.modules import (
        PolicyRLModule,
        RandomMaskedRLModule,
        RLModulePolicy,
    )

__all__ = [
    "MaskedEnv",
    "MijnlieffMultiAgentEnv",
    "PolicyRLModule",
    "RLModulePolicy",
    "RandomMaskedRLModule",
]
