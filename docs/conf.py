"""Settings of the documentation site; ``make docs`` builds it into docs/_build/html.

Sphinx reads the docstrings of Python and native names alike, checks every reference, and its search
needs no server. Furo serves its own fonts and scripts and adapts to narrow screens and dark mode.
MyST-NB shows the notebooks with their stored outputs. Nothing is loaded from other hosts, neither
when building nor when reading: `_ext/offline.py` checks that.
"""

from __future__ import annotations

import importlib.util
import inspect
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy.typing
from sphinx.domains.python import PyObject

Number = TypeVar("Number")


class NDArray(Generic[Number]):
    """Stands for NumPy's alias, which Sphinx would show as the long type behind it."""

    __module__ = "numpy.typing"


numpy.typing.NDArray = NDArray  # before the package is imported

import mijnlieff  # noqa: E402

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "_ext"))

project = "mijnlieff"
author = "the mijnlieff authors"
version = release = mijnlieff.__version__
copyright = author

extensions = [
    "api_examples",
    "api_pages",
    "board",
    "linked_pictures",
    "myst_nb",
    "name_links",
    "native_stub",
    "offline",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build", "_ext", "results"]
nitpicky = True
# Types of other packages: their inventories cannot be fetched offline.
nitpick_ignore_regex = [
    ("py:.*", r"(abc|collections|concurrent|enum|os|pathlib|typing)\..*"),
    ("py:.*", r"(anywidget|gymnasium|matplotlib|np|numpy|pettingzoo|t|torch)\..*"),
    (
        "py:.*",
        r"(AECEnv|ArrayLike|AutoresetMode|Axes|DTypeLike|NDArray|Path|PathLike|PolicyLike|Sequence)",
    ),
]
# Types in signatures that callers do not need to know.
nitpick_ignore = [("py:class", "mijnlieff._mijnlieff.Network")]

default_role = "py:obj"
add_module_names = False
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"  # the contents of a page have little room
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
# Packages of extras that are not installed here; the modules that need them are documented anyway.
autodoc_mock_imports = [
    name for name in ("torch", "pygame", "PIL") if importlib.util.find_spec(name) is None
]
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False
python_maximum_signature_line_length = 80

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, dict[str, str]] = {}

html_theme = "furo"
pygments_style = "default"  # whose comments have enough contrast
pygments_dark_style = "monokai"
html_title = f"mijnlieff {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["accessible.js", "copy.js"]
html_copy_source = False
html_show_sphinx = False


def copy_notebooks(app: Sphinx) -> None:
    """Copy the notebooks into the sources, where Sphinx can see them."""
    for path in (DOCS.parent / "notebooks").glob("*.ipynb"):
        copied = DOCS / "notebooks" / path.name
        if not copied.exists() or copied.read_bytes() != path.read_bytes():
            shutil.copyfile(path, copied)


def find_name(app: Sphinx, env: Any, node: Any, shown: nodes.Element) -> nodes.Element | None:
    """Resolve a name in backticks that Sphinx does not find where it stands.

    It may be a public name that another module mentions. Arguments, modules and private names are
    shown as code. Sphinx warns of the rest: names that do exist but have no entry.
    """
    from name_links import full_name

    if node.get("reftype") != "obj":
        return None
    target = node["reftarget"]
    python = env.domains.python_domain
    full = full_name(target, python.objects)
    if full in python.objects:
        return python.resolve_xref(env, node["refdoc"], app.builder, "obj", full, node, shown)
    value: Any = mijnlieff
    for part in target.removeprefix("mijnlieff.").split("."):
        value = getattr(value, part, None)
    return shown if value is None or inspect.ismodule(value) or "._" in target else None


def setup(app: Sphinx) -> None:
    """Connect the functions above, and rename a label."""
    app.connect("builder-inited", copy_notebooks)
    app.connect("missing-reference", find_name)
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"  # as the docstrings call them
