"""Writes the pages of the API reference from the public names of the package.

Every name in `mijnlieff.__all__` and of the modules in `HOMES` gets an entry: on the page that
`GROUPS` names, or on the page of further names. Every other public module gets a page.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import operator
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol

import mijnlieff

if TYPE_CHECKING:
    from sphinx.application import Sphinx


PACKAGE = Path(mijnlieff.__file__).parent

#: Modules whose names are on the pages of the package's own.
HOMES = ("envs", "evaluation", "policies", "rules", "self_play", "solving", "train")

#: Names of these modules that are for other modules of the package.
INNER = {
    "EXACT_CELLS",
    "EXACT_ENDING",
    "PLAYERS",
    "act_checked",
    "must_pass",
    "register_envs",
    "solver_for",
}

#: Title, introduction and names of each page, in the order of the contents. Names with a dot are
#: imported from the module before it.
GROUPS: dict[str, tuple[str, str, list[str]]] = {
    "rules": (
        "Rules",
        "Boards, variants, positions and records. All objects are immutable values.",
        [
            "Board",
            "Variant",
            "Position",
            "Canvas",
            "Piece",
            "parse_record",
            "format_record",
            "rules.perft",
        ],
    ),
    "environments": (
        "Environments",
        "The Gymnasium environments; PettingZoo's is on the page of `mijnlieff.mijnlieff_v0`.",
        ["MijnlieffEnv", "VectorEnv", "envs.MaskInObservation", "envs.rollout"],
    ),
    "policies": (
        "Policies",
        "Players, by name or as objects with the methods of `Policy`.",
        [
            "load_policy",
            "Policy",
            "policies.GamePolicy",
            "policies.base.ActPolicy",
            "policies.base.BatchPolicy",
            "Network",
            "policies.BuiltinPolicy",
            "RandomPolicy",
            "GreedyPolicy",
            "MinimaxPolicy",
            "PerfectPolicy",
            "NetworkPolicy",
            "policies.FunctionPolicy",
            "policies.OpponentPool",
            "policies.RolloutPolicy",
            "policies.Model",
            "policies.FunctionModel",
            "ChampionPolicy",
        ],
    ),
    "search": (
        "Exact play and tree search",
        "The solver, tables of every position, and the batched tree search.",
        [
            "solve",
            "solve_batch",
            "solving.Solution",
            "solving.SolutionBatch",
            "solving.set_table_bytes",
            "Tablebase",
            "TreeSearch",
            "SearchOptions",
            "_mijnlieff.LeafBatch",
        ],
    ),
    "self_play": (
        "Self-play",
        "Whole games with a tree search for every decision, in native code.",
        ["SelfPlay", "self_play.SelfPlaySamples", "self_play.SelfPlayStatistics"],
    ),
    "evaluation": (
        "Evaluation",
        "Matches, tournaments and comparisons with exact play.",
        [
            "evaluate",
            "evaluation.MatchReport",
            "evaluation.SeatRecord",
            "evaluation.play_match",
            "evaluation.random_openings",
            "tournament",
            "evaluation.TournamentReport",
            "evaluation.Standing",
            "grade",
            "evaluation.GradeReport",
            "evaluation.GradeRow",
            "evaluation.ActionLosses",
            "benchmark",
            "evaluation.Benchmark",
            "best_response",
            "evaluation.BestResponse",
            "evaluation.BestResponseCase",
            "review",
            "evaluation.ReviewedMove",
        ],
    ),
    "training": (
        "Training",
        "Self-play with PyTorch, which is imported when training starts. `load_policy` makes a "
        "player of a run.",
        [
            "train.train",
            "train.TrainConfig",
            "train.Budget",
            "train.LivePlot",
            "train.TrainState",
            "train.Boards",
        ],
    ),
    # Without the extra there is no such name.
    **(
        {"playing": ("Playing", "The board to play on in a notebook.", ["Widget"])}
        if importlib.util.find_spec("anywidget")
        else {}
    ),
    "errors": (
        "Errors",
        "Every exception that the package defines. Wrong dtypes raise TypeError and wrong shapes "
        "or values ValueError, as in NumPy.",
        list(mijnlieff.errors.__all__),
    ),
}
#: Modules whose public names are on the pages above, and the command line. Adapters but `text` are
#: left out too: they cannot be imported without their frameworks, which pin versions that clash,
#: and classes derived from mocks would lack their bases. Their pages are in docs/integrations.
NO_PAGE = {*HOMES, "cli", "errors", "integrations", "jax"}


def modules() -> list[str]:
    """Return the modules with a page, such as ``mijnlieff.render``."""
    names = []
    for path in sorted(PACKAGE.iterdir()):
        if path.name.startswith(("_", ".")) or path.stem in NO_PAGE:
            continue
        if path.suffix == ".py":
            names.append(f"mijnlieff.{path.stem}")
        elif (path / "__init__.py").exists():
            names.append(f"mijnlieff.{path.name}")
            if "__all__" not in (path / "__init__.py").read_text(encoding="utf-8"):
                inner = (it.stem for it in sorted(path.glob("[!_]*.py")))
                names += [f"{names[-1]}.{stem}" for stem in inner]
    return [*names, "mijnlieff.integrations.text"]


def public_names() -> list[str]:
    """Return the names that need an entry, such as ``solve`` and ``evaluation.play_match``."""
    names = [name for name in mijnlieff.__all__ if name != "__version__"]
    known = {*names, *INNER}
    for home in HOMES:
        inner = importlib.import_module(f"mijnlieff.{home}").__all__
        names += [f"{home}.{name}" for name in inner if name not in known]
    return [it for it in names if not inspect.ismodule(operator.attrgetter(it)(mijnlieff))]


def groups() -> dict[str, tuple[str, str, list[str]]]:
    """Return the pages of names, with those that no group lists on a page at the end."""
    listed = {name for _, _, names in GROUPS.values() for name in names}
    further = [name for name in public_names() if name not in listed]
    pages = dict(GROUPS)
    if further:
        pages["more"] = ("Further names", "", further)
    return pages


def _title(text: str) -> str:
    return f"{text}\n{'=' * len(text)}\n"


def _is_public(base: type) -> bool:
    return not _is_hidden(base) and base not in (object, Generic, Protocol)


def _is_hidden(base: type) -> bool:
    """Whether a base is a detail of the package, which no page shows."""
    ours = base.__module__.partition(".")[0] == "mijnlieff"
    return ours and base.__name__ not in {name.rpartition(".")[2] for name in public_names()}


def _entry(name: str) -> str:
    value = operator.attrgetter(name)(mijnlieff)
    if inspect.isclass(value):
        options = ["   :members:"]
        shown = [base.__name__ for base in value.__bases__ if _is_public(base)]
        if shown:
            options.append("   :show-inheritance:")
        if any(map(_is_hidden, value.__bases__)):
            # Members of a hidden base belong to the class; those of a base that is shown do not.
            options.append(f"   :inherited-members: {', '.join(shown)}".rstrip())
        return "\n".join([f".. autoclass:: mijnlieff.{name}", *options, ""])
    kind = "autofunction" if callable(value) else "autodata"
    return f".. {kind}:: mijnlieff.{name}\n"


def pages() -> dict[str, str]:
    """Return the text of every page, by file name."""
    texts = {}
    for page, (title, introduction, names) in groups().items():
        head = [_title(title), ".. currentmodule:: mijnlieff\n", f"{introduction}\n"]
        texts[f"{page}.rst"] = "\n".join([*head, *map(_entry, names)])
    for module in modules():
        directive = f".. automodule:: {module}\n   :members:\n"
        texts[f"{module}.rst"] = "\n".join([_title(module), directive])
    contents = [f"   {Path(name).stem if name[:-4] in groups() else name[:-4]}" for name in texts]
    texts["index.rst"] = "\n".join(
        [
            _title("API reference"),
            "Import the names of the first pages from ``mijnlieff``, or from the module before",
            "a name, and those of the other pages from the module in the title. The installed",
            "version is ``mijnlieff.__version__``.\n",
            ".. py:module:: mijnlieff\n",
            ".. toctree::\n   :maxdepth: 2\n",
            *contents,
            "",
        ]
    )
    return texts


def write(app: Sphinx) -> None:
    """Write the pages that changed, and delete those that are no longer made."""
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    texts = pages()
    for path in folder.glob("*.rst"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def hide_private_bases(
    app: Sphinx, name: str, value: object, options: object, bases: list[type]
) -> None:
    """Leave out base classes that are not public."""
    bases[:] = filter(_is_public, bases)


def check(app: Sphinx, env: object) -> None:
    """Warn of public names that autodoc could not document."""
    from sphinx.util import logging  # the tests load this file without Sphinx

    objects = app.env.domains.python_domain.objects
    for name in public_names():
        if f"mijnlieff.{name}" not in objects:
            logging.getLogger(__name__).warning("mijnlieff.%s is not in the API reference", name)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before Sphinx looks for sources."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-bases", hide_private_bases)
    app.connect("builder-inited", write)
    app.connect("env-check-consistency", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
