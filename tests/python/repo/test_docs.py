"""The documentation: examples run, links lead somewhere, pictures and the API reference are whole.

`make docs` checks the rest, and treats warnings as errors.
"""

from __future__ import annotations

import ast
import doctest
import importlib.util
import inspect
import operator
import re
import shlex
from pathlib import Path
from xml.etree import ElementTree

import pytest

import mijnlieff
from mijnlieff.cli.parser import COMMANDS, parse
from mijnlieff.render import svg
from processes import ROOT, load_module
from tools.pages import animated_svg, pictures

pytestmark = pytest.mark.torch

DOCS = ROOT / "docs"
BUILT = ("_build", "api", "notebooks")
PAGES = [
    path
    for path in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
    if path.relative_to(DOCS if path.is_relative_to(DOCS) else ROOT).parts[0] not in BUILT
]
SVG = "{http://www.w3.org/2000/svg}"


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def python_blocks(path: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", path.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def load(path: Path, monkeypatch: pytest.MonkeyPatch):
    """The module of a file that imports others of its folder."""
    monkeypatch.syspath_prepend(str(path.parent))
    return load_module(path)


# Those about frameworks are run by tests/frameworks, where the frameworks are.
WITH_EXAMPLES = [
    path for path in PAGES if python_blocks(path) and path.parent != DOCS / "integrations"
]


def test_the_pages_are_found():
    names = {named(path) for path in WITH_EXAMPLES}
    assert {"README.md", "docs/champion.md", "docs/guides/self_play.md"} <= names
    assert len(names) > 12


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=named)
def test_the_examples_of_a_page_run(path, tmp_path, monkeypatch):
    if "mijnlieff_v0" in "".join(python_blocks(path)):
        pytest.importorskip("pettingzoo")
    if "mijnlieff.train.network" in "".join(python_blocks(path)):
        pytest.importorskip("torch")
    if "mijnlieff.Widget" in "".join(python_blocks(path)):
        pytest.importorskip("anywidget")
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {"__name__": "page"}
    for block in python_blocks(path):
        exec(compile(block, named(path), "exec"), scope)


def test_the_quickstart_has_ten_lines():
    first = python_blocks(ROOT / "README.md")[0]
    assert len(first.splitlines()) == 10


def test_the_quickstart_prints_what_the_page_says(capsys):
    text = (ROOT / "README.md").read_text("utf-8")
    exec(compile(python_blocks(ROOT / "README.md")[0], "README.md", "exec"), {"__name__": "page"})
    assert f"```text\n{capsys.readouterr().out}```" in text


def commands_of(path: Path) -> list[list[str]]:
    """The arguments of the commands that a page shows, except where a word stands for others."""
    text = path.read_text("utf-8")
    blocks = re.findall(r"^```(?:sh|text)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    lines += re.findall(r"`(mijnlieff [a-z][^`\n]*)`", text)
    lines = [line.partition(" > ")[0] for line in lines if line.startswith("mijnlieff ")]
    shown = [shlex.split(line, comments=True)[1:] for line in lines]
    placeholder = re.compile(r"[A-Z]{4,}|[|\[]|\.\.\.")
    return [
        words
        for words in shown
        if words and " ".join(words) not in COMMANDS and not placeholder.search(" ".join(words))
    ]


def test_the_commands_of_the_pages_have_such_options(capsys):
    """As far as the parsers go: nothing is run, and names of files are not looked up."""
    wrong = []
    for path in PAGES:
        if path.name == "CHANGELOG.md":  # it has names of before
            continue
        for words in commands_of(path):
            try:
                parse(words)
            except SystemExit as end:
                if end.code:
                    wrong.append((named(path), words, capsys.readouterr().err))
    assert not wrong


def test_the_citations_name_the_version():
    version = re.escape(mijnlieff.__version__)
    assert re.search(rf"^version: {version}$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert re.search(rf"version = {{{version}}}", (ROOT / "README.md").read_text())


def targets(path: Path) -> list[str]:
    """Where the links and pictures of a page lead, outside of its code."""
    text = re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`]*`", "code", text)
    return re.findall(r"\]\(([^)\s]+)\)|(?:src|href|srcset)=\"([^\"]+)\"", text)


def anchors(path: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and MyST name them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", it.lower()).replace(" ", "-") for it in headings}


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_links_to_files_lead_somewhere(path):
    for target in (one or other for one, other in targets(path)):
        file, _, anchor = target.partition("#")
        if ":" in file:
            continue
        reached = path if not file else (path.parent / file)
        if not reached.exists() and reached.suffix == ".ipynb":
            reached = ROOT / "notebooks" / reached.name  # copied there when the site is built
        if (path, file) == (DOCS / "index.md", "api/index"):
            continue
        assert reached.exists(), target
        assert not anchor or anchor in anchors(reached), target


def test_every_page_is_in_the_contents():
    entries = set()
    indices = [DOCS / "index.md", DOCS / "guides" / "more.md", DOCS / "results_index.md"]
    for path in [*indices, *DOCS.glob("*/index.md")]:
        for block in re.findall(r"```\{toctree\}(.*?)```", path.read_text("utf-8"), re.DOTALL):
            lines = [line for line in block.splitlines() if line and not line.startswith(":")]
            for line in lines:
                found = path.parent.glob(f"{line}.md") if "*" in line else [path.parent / line]
                entries |= {it.with_suffix("").resolve() for it in found}
    pages = {path.with_suffix("") for path in DOCS.rglob("*.md")}
    # Tables made from results are parts of pages; test_pages.py asks for exactly one page each.
    pages = {page for page in pages if DOCS / "results" not in page.parents}
    assert pages - {DOCS / "index"} <= entries
    notebooks = {DOCS / "notebooks" / it.stem for it in (ROOT / "notebooks").glob("*.ipynb")}
    assert notebooks and notebooks <= entries


def test_the_table_of_planes_is_right():
    text = (DOCS / "environments" / "gymnasium.md").read_text("utf-8")
    text = text.partition("<!-- observations -->")[2].partition("<!-- end of observations -->")[0]
    rows = [row.split(" | ") for row in re.findall(r"^\| (\d.*) \|$", text, re.MULTILINE)]
    planes = [int(number) for row in rows for number in row[0].split(", ")]
    assert planes == list(range(12))
    position = mijnlieff.Position().play("a1x").play("b2<>").play("d4+")
    seen = position.observation("planes")
    own, opposing = position.stones == 2, position.stones == 1
    allowed = {action % 16 for action in position.legal_actions()}
    assert seen[0].ravel().tolist() == own.tolist()
    assert seen[1].ravel().tolist() == opposing.tolist()
    assert {cell for cell in range(16) if seen[2].ravel()[cell]} == allowed
    assert seen[3].all()
    assert seen[4:8, 0, 0].tolist() == (position.hands[1] / 2).tolist()
    assert seen[8:12, 0, 0].tolist() == (position.hands[0] / 2).tolist()


@pytest.mark.parametrize("page", ["gymnasium", "vector", "pettingzoo"])
def test_the_fact_sheets_list_the_arguments(page):
    """With their defaults, in the order of the signature."""
    if page == "pettingzoo":
        owner = pytest.importorskip("mijnlieff.mijnlieff_v0").raw_env
    else:
        owner = mijnlieff.MijnlieffEnv if page == "gymnasium" else mijnlieff.VectorEnv
    text = (DOCS / "environments" / f"{page}.md").read_text("utf-8")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    fixed = ["Action space", "Observation space", "Rewards", "Starting state", "Episode end"]
    assert headings[:5] == fixed
    assert headings[-2:] == ["Arguments", "Version history"]
    section = text.partition("## Arguments")[2]
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", section, re.MULTILINE)
    parameters = inspect.signature(owner).parameters.values()
    assert [name for name, _ in rows] == [parameter.name for parameter in parameters]
    for parameter, (name, shown) in zip(parameters, rows, strict=True):
        if parameter.default is inspect.Parameter.empty:
            assert shown == "required", name
        elif name != "variant":
            assert ast.literal_eval(shown.strip("`")) == parameter.default, name


def test_the_pictures_are_up_to_date():
    made = pictures.files(DOCS)
    for name, text in made.items():
        assert (DOCS / name).read_text("utf-8") == text, name
    kept = {path.relative_to(DOCS).as_posix() for path in (DOCS / "pictures").iterdir()}
    assert kept == {name for name in made if name.startswith("pictures/")}


def shape_of(element: ElementTree.Element) -> tuple[object, ...]:
    kept = {key: it for key, it in element.attrib.items() if key not in ("class", "visibility")}
    return element.tag, element.text, kept


def test_the_moving_picture_shows_the_positions_one_after_the_other():
    positions = [mijnlieff.Position()]
    for action in ["a1+", "a3><", "a2+"]:
        positions.append(positions[-1].play(action))
    root = ElementTree.fromstring(animated_svg.animated_svg(positions, "A game"))
    assert root.get("aria-label") == root.find(f"{SVG}title").text == "A game"
    styles = root.find(f"{SVG}style").text
    seconds = animated_svg.SECONDS * (len(positions) - 1) + animated_svg.LAST_SECONDS
    changes = {
        name: [(float(at), state) for at, state in re.findall(r"([\d.]+)%{\w+:(\w+)}", steps)]
        for name, steps in re.findall(r"@keyframes (\w+){(.*)}", styles)
    }
    shapes = [it for it in root if it.get("data-part")]
    for number, position in enumerate(positions):
        now = 100 * animated_svg.SECONDS * (number + 0.5) / seconds
        shown = []
        for shape in shapes:
            past = [state for at, state in changes.get(shape.get("class"), []) if at <= now]
            if not past or past[-1] == "visible":
                shown.append(shape_of(shape))
        drawn = ElementTree.fromstring(svg(position))
        assert shown == [shape_of(it) for it in drawn if it.get("data-part")]
    # Without animation it is the last position.
    still = [shape_of(it) for it in shapes if it.get("visibility") != "hidden"]
    assert still == shown


@pytest.fixture
def api_pages(monkeypatch):
    return load(DOCS / "_ext" / "api_pages.py", monkeypatch)


def test_every_public_name_is_in_the_api_reference(api_pages):
    text = "".join(api_pages.pages().values())
    entry = r"^\.\. auto(?:class|function|data|module):: mijnlieff\.(\S+)"
    entries = re.findall(entry, text, re.MULTILINE)
    assert len(entries) == len(set(entries))
    assert set(api_pages.public_names()) <= set(entries)
    names = {*mijnlieff.policies.__all__, *mijnlieff.evaluation.__all__, *mijnlieff.solving.__all__}
    assert names - api_pages.INNER <= {entry.rpartition(".")[2] for entry in entries}


def test_a_new_name_gets_an_entry_by_itself(api_pages, monkeypatch):
    monkeypatch.setattr(mijnlieff, "new_name", lambda: None, raising=False)
    monkeypatch.setattr(mijnlieff, "__all__", [*mijnlieff.__all__, "new_name"])
    assert ".. autofunction:: mijnlieff.new_name" in api_pages.pages()["more.rst"]


def test_the_examples_of_the_api_reference_run(monkeypatch, tmp_path):
    examples = load(DOCS / "_ext" / "api_examples.py", monkeypatch).EXAMPLES
    if importlib.util.find_spec("anywidget") is None:
        examples.pop("Widget")
    if importlib.util.find_spec("torch") is None:
        examples = {name: text for name, text in examples.items() if "train." not in name}
    monkeypatch.chdir(tmp_path)
    for name, text in examples.items():
        assert ">>>" not in inspect.getdoc(operator.attrgetter(name)(mijnlieff)), name
        test = doctest.DocTestParser().get_doctest(text, {"mijnlieff": mijnlieff}, name, None, 0)
        failed, tried = doctest.DocTestRunner(verbose=False).run(test)
        assert tried and not failed, name


def test_every_public_module_is_in_the_api_reference(api_pages):
    modules = set(api_pages.modules())
    assert {"mijnlieff.encoding", "mijnlieff.functional", "mijnlieff.mijnlieff_v0"} <= modules
    assert "mijnlieff.render" in modules
    of_frameworks = {name for name in modules if "integrations" in name or "jax" in name}
    assert of_frameworks == {"mijnlieff.integrations.text"}  # which needs none


def test_the_api_reference_has_the_types_of_the_stub(monkeypatch):
    stub = load(DOCS / "_ext" / "native_stub.py", monkeypatch)
    arguments, returns = stub.process_signature(
        None, "method", "mijnlieff.Position.play", None, None, "(action)", None
    )
    assert (arguments, returns) == ("(action: SupportsIndex | str)", "Position")
    lines = ["The margin."]
    stub.process_docstring(None, "property", "mijnlieff.Position.margin", None, None, lines)
    assert lines == ["int: The margin."]
    assert stub.native_name("mijnlieff.rules.perft") == "perft"
    assert stub.native_name("mijnlieff.VectorEnv") is None
    assert "mijnlieff.policies.BuiltinPolicy" in stub.SIGNATURES["play_match"][0]


def test_the_site_loads_nothing_from_other_hosts(monkeypatch):
    loaded = load(DOCS / "_ext" / "offline.py", monkeypatch).loaded
    for bad in (
        '<script async src="https://cdn.example/x.js"></script>',
        "<img alt='' src='//cdn.example/x.png'>",
        '<link rel="stylesheet" href="https://fonts.example/css">',
        "body{background:url(https://cdn.example/x.png)}",
    ):
        assert len(loaded(bad)) == 1, bad
    good = '<a href="https://example.org">x</a><script src="_static/x.js"></script>'
    assert loaded(good) == []
