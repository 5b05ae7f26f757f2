"""Stable-Baselines3: a native vectorized environment, models as policies, and opponent pools.

`MijnlieffVecEnv` is a ``VecEnv`` of many games against an opponent, with the masks that
``MaskablePPO`` of sb3-contrib asks for. `SB3Policy` makes a trained model a policy for `evaluate`,
`grade`, `tournament` and ``opponent=``. An `OpponentPool` with `SnapshotCallback` is an opponent
made of an agent's past selves.
"""

from mijnlieff._util.extras import require_version

require_version("mijnlieff.integrations.sb3", "stable-baselines3", "2.6", "sb3")

from mijnlieff.integrations.sb3.callbacks import SnapshotCallback  # noqa: E402
from mijnlieff.integrations.sb3.policy import SB3Policy  # noqa: E402
from mijnlieff.integrations.sb3.vec_env import MijnlieffVecEnv  # noqa: E402
from mijnlieff.policies import OpponentPool  # noqa: E402

__all__ = ["MijnlieffVecEnv", "OpponentPool", "SB3Policy", "SnapshotCallback"]
