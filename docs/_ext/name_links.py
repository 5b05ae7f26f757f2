"""Links public names that a page writes as code, such as `Position.play`, to the API reference.

So pages are plain Markdown, which also reads well where no site is built. Names of private modules
can be linked to as well, but are kept out of the search.
"""

from __future__ import annotations

import inspect
import operator
import re
from collections.abc import Container, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from api_pages import HOMES
from docutils import nodes
from sphinx.domains.python import PythonDomain
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

import mijnlieff

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def looks_like_a_name(text: str) -> bool:
    """Whether code is more than a word, such as `evaluate`, which may also be a command."""
    word = text.removesuffix("()")
    parts = word.split(".")
    return all(it.isidentifier() for it in parts) and (
        word != word.lower() or "_" in word or len(parts) > 1
    )


def full_name(name: str, objects: Container[str]) -> str:
    """Return where a name has its entry: in the package, or in a module of `HOMES`."""
    places = (f"mijnlieff.{home}.{name}" for home in ("encoding", *HOMES))
    return next(filter(objects.__contains__, places), f"mijnlieff.{name}")


class NameLinks(SphinxPostTransform):
    """Puts a link around every such name, except in links and headings."""

    default_priority = 20

    def run(self, **options: Any) -> None:
        """Look at the code in the text of a page."""
        objects = self.env.domains.python_domain.objects
        page = self.env.current_document.docname
        for code in list(self.document.findall(nodes.literal)):
            text = code.astext()
            if isinstance(code.parent, nodes.reference | nodes.title) or not looks_like_a_name(
                text
            ):
                continue
            name = text.removesuffix("()").removeprefix("mijnlieff.")
            entry = objects.get(full_name(name, objects))
            if entry is None:
                if text.startswith("mijnlieff.") and not _is_inner(name):
                    logging.getLogger(__name__).warning("unknown name %s", text, location=code)
                continue
            link = make_refnode(self.app.builder, page, entry.docname, entry.node_id, code.copy())
            link[0].extend(child.deepcopy() for child in code.children)
            code.replace_self(link)


def _is_inner(name: str) -> bool:
    """Whether a name without an entry exists all the same, as modules and attributes do."""
    try:
        value = operator.attrgetter(name)(mijnlieff)
    except (AttributeError, ImportError):  # some modules need an extra
        return name.endswith((".py", ".pyi")) or _is_in_an_adapter(name)
    return inspect.ismodule(value) or value is not None


def _is_in_an_adapter(name: str) -> bool:
    """Whether a name belongs to an adapter, which cannot be imported without its framework."""
    parts = name.split(".")
    if parts[0] not in ("integrations", "jax"):
        return False
    path = Path(mijnlieff.__file__).parent
    while parts and (path / parts[0]).is_dir():
        path /= parts.pop(0)
    source = path / "__init__.py"
    if parts and (path / f"{parts[0]}.py").exists():
        source = path / f"{parts.pop(0)}.py"
    return not parts or re.search(rf"\b{parts[0]}\b", source.read_text("utf-8")) is not None


class PublicNames(PythonDomain):
    """The names of Python; a search does not find those of private modules."""

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        """Return what can be found: names, kinds, places, and how important they are."""
        for *entry, priority in super().get_objects():
            yield *entry, -1 if "._" in entry[0] else priority


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform and the domain."""
    app.add_post_transform(NameLinks)
    app.add_domain(PublicNames, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
