"""Documents the native module with the types of its stub, which the extension itself lacks."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mijnlieff
from mijnlieff import _mijnlieff

if TYPE_CHECKING:
    from sphinx.application import Sphinx


STUB = Path(mijnlieff.__file__).with_name("_mijnlieff.pyi")


class _FullNames(ast.NodeTransformer):
    """Writes native classes that are not public with their module, so that links find them."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if hasattr(mijnlieff, node.id):
            return node
        home = getattr(getattr(_mijnlieff, node.id, None), "__module__", None)
        return node if home is None else ast.Name(f"{home}.{node.id}")


def signatures() -> dict[str, tuple[str, str | None]]:
    """Return the signatures in the stub, by names such as ``Position.play``."""
    found = {}
    for node in _FullNames().visit(ast.parse(STUB.read_text(encoding="utf-8"))).body:
        of_class = isinstance(node, ast.ClassDef)
        prefix, nodes = (f"{node.name}.", node.body) if of_class else ("", [node])
        functions = (it for it in nodes if isinstance(it, ast.FunctionDef))
        found |= {prefix + it.name: signature(it) for it in functions}
    return found


def native_name(name: str) -> str | None:
    """Return the name within the native module, or None if the object is not native."""
    package, *parts = name.split(".")
    value: Any = mijnlieff if package == "mijnlieff" else None
    while value is not None and parts:
        value = getattr(value, parts[0], None)
        if value is not None and getattr(_mijnlieff, parts[0], None) is value:
            return ".".join(parts)
        del parts[0]
    return None


def signature(definition: ast.FunctionDef) -> tuple[str, str | None]:
    """Return the arguments without self or cls, and the type of the result."""
    arguments = definition.args
    if arguments.posonlyargs and arguments.posonlyargs[0].arg in ("self", "cls"):
        del arguments.posonlyargs[0]
    returns = None if definition.returns is None else ast.unparse(definition.returns)
    return f"({ast.unparse(arguments)})", returns


SIGNATURES = signatures()


def process_signature(
    app: Sphinx, what: str, name: str, value: Any, options: Any, args: str | None, returns: Any
) -> tuple[str, str | None] | None:
    """Give a native function, method or class the signature in the stub."""
    native = native_name(name)
    if native is None or what in ("attribute", "property"):
        return None
    if what == "class":
        return SIGNATURES.get(f"{native}.__new__", ("", None))[0], None
    return SIGNATURES.get(native)


def process_docstring(
    app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]
) -> None:
    """Put the type of a native property where napoleon expects it: first."""
    native = native_name(name)
    if native in SIGNATURES and what in ("attribute", "property"):
        lines[0] = f"{SIGNATURES[native][1]}: {lines[0]}"


def escape_types(
    app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]
) -> None:
    """Keep types such as ``np.bool_`` from being read as links, after napoleon."""
    for number, line in enumerate(lines):
        if line.startswith((":type", ":vartype")):
            lines[number] = re.sub(r"_(?=\W|$)", r"\_", line)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to autodoc, ahead of napoleon, which reads the Google style of the docstrings."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-signature", process_signature)
    app.connect("autodoc-process-docstring", process_docstring, priority=400)
    app.connect("autodoc-process-docstring", escape_types, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
