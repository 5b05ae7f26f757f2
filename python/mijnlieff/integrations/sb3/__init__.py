"""Stable-Baselines3: a native vectorized environment, models as policies, and opponent pools.

`MijnlieffVecEnv` is a ``VecEnv`` of many games against an opponent, with the masks that
``MaskablePPO`` of sb3-contrib asks for. `SB3Policy` makes a trained model a policy for `evaluate`,
`grade`, `tournament` and ``opponent=``. An `OpponentPool` with `SnapshotCallback` is an opponent
made of an agent's past selves.
"""

from mijnlieff._util.extras import needs
from mijnlieff.policies import OpponentPool

with needs("mijnlieff.integrations.sb3", "stable-baselines3", "sb3", "stable-baselines3>=2.6"):
    from mijnlieff.integrations.sb3.callbacks import SnapshotCallback
    from mijnlieff.integrations.sb3.policy import SB3Policy
    from mijnlieff.integrations.sb3.vec_env import MijnlieffVecEnv

__all__ = ["MijnlieffVecEnv", "OpponentPool", "SB3Policy", "SnapshotCallback"]
