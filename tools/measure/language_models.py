"""Grade the scripted models, and keep the grades in ``docs/results/language_models``.

`tools.pages` makes the table of docs/language_models.md.
"""

from __future__ import annotations

from typing import Any

from mijnlieff import grade
from mijnlieff.integrations.text import TextPolicy
from tools.players import BENCHMARK
from tools.results import RESULTS, write_results
from tools.scripted_models import MODELS

KEPT = RESULTS / "language_models" / "grades.json"
PLAIN = ("random", "minimax:2")
_ROW = ("positions", "optimal", "optimal_interval", "kept", "regret")


def graded(policy: Any) -> dict[str, Any]:
    """Return the grade of a policy, as a whole and by ply."""
    report = grade(policy, BENCHMARK).to_dict()
    rows = {"total": report["total"]} | {str(ply): it for ply, it in report["by_ply"].items()}
    return {name: {key: row[key] for key in _ROW} for name, row in rows.items()}


def main() -> None:
    """Grade the models, and policies that are no models."""
    content: dict[str, Any] = {}
    for name, model in MODELS.items():
        policy = TextPolicy(model)
        content[name] = {"grade": graded(policy), "replies": policy.counts.to_dict()}
    for name in PLAIN:
        content[name] = {"grade": graded(name), "replies": None}
    write_results(KEPT, content)


if __name__ == "__main__":
    main()
