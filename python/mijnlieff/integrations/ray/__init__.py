"""Training, grading and solving on many processes or machines with Ray.

A `RayCluster` has workers, which are actors with a CPU each. `train` lets them play the games of a
run; `solve_batch`, `grade`, `evaluate` and `tournament` share their work among them. Results do not
depend on the number of workers, nor on whether some of them died: another worker does their
unfinished work again.
"""

from mijnlieff._util.extras import missing_extra, require_version

require_version("mijnlieff.integrations.ray", "ray", "2.50", "ray")
try:
    import ray as _ray  # noqa: F401
except ImportError as error:
    raise missing_extra("mijnlieff.integrations.ray", "ray", "ray", error) from error

from mijnlieff.integrations.ray.cluster import RayCluster  # noqa: E402
from mijnlieff.integrations.ray.pool import WorkerInfo  # noqa: E402
from mijnlieff.integrations.ray.shared import (  # noqa: E402
    evaluate,
    grade,
    solve_batch,
    tournament,
)
from mijnlieff.integrations.ray.training import train  # noqa: E402

__all__ = [
    "RayCluster",
    "WorkerInfo",
    "evaluate",
    "grade",
    "solve_batch",
    "tournament",
    "train",
]
