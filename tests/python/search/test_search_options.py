"""`SearchOptions`: a value with one set of defaults, which every search takes."""

from __future__ import annotations

import copy
import inspect
import math
import pickle

import pytest

from mijnlieff import ChampionPolicy, Position, SearchOptions, SelfPlay, TreeSearch

CHANGED = {
    "num_simulations": 3,
    "root": "puct",
    "c_puct": 2.5,
    "temperature": 0.3,
    "max_considered": 4,
    "c_visit": 10.0,
    "c_scale": 0.1,
    "backup": "policy",
    "dirichlet_alpha": 0.2,
    "dirichlet_share": 0.25,
    "margin_weight": 0.0,
    "solve_roots_below": 5,
    "solve_leaves_below": 4,
}


def values(options: SearchOptions) -> dict[str, object]:
    return {name: getattr(options, name) for name in CHANGED}


def test_the_constructor_and_the_attributes_agree() -> None:
    parameters = inspect.signature(SearchOptions).parameters
    assert {name: it.default for name, it in parameters.items()} == values(SearchOptions())
    assert values(SearchOptions(**CHANGED)) == CHANGED
    assert not any(getattr(SearchOptions(), name) == value for name, value in CHANGED.items())


def test_options_are_values() -> None:
    options = SearchOptions(**CHANGED)
    assert eval(repr(options)) == options
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(options, protocol)) == options
    assert copy.deepcopy(options) is options
    others = [options.replace(**{name: getattr(SearchOptions(), name)}) for name in CHANGED]
    assert len({options, *others}) == 1 + len(CHANGED)
    zeros = SearchOptions(temperature=0.0), SearchOptions(temperature=-0.0)
    assert zeros[0] == zeros[1] and hash(zeros[0]) == hash(zeros[1])
    with pytest.raises(AttributeError):
        options.c_puct = 1.0  # type: ignore[misc]


def test_only_what_differs_from_the_defaults_is_shown() -> None:
    assert repr(SearchOptions()) == "SearchOptions(num_simulations=64, root='gumbel')"
    changed = "SearchOptions(num_simulations=64, root='puct', c_scale=0.2)"
    assert repr(SearchOptions(root="puct", c_scale=0.2)) == changed


def test_searches_take_options_or_single_settings() -> None:
    options = SearchOptions(8, root="puct")
    start = [Position()]
    for search in (
        TreeSearch(start, options, c_puct=2.0),
        TreeSearch(start, 8, root="puct", c_puct=2.0),
        TreeSearch(start, num_simulations=8, root="puct", c_puct=2.0),
        SelfPlay(ChampionPolicy(), options=options, c_puct=2.0),
        SelfPlay(ChampionPolicy(), options=8, root="puct", c_puct=2.0),
    ):
        assert search.options == SearchOptions(8, "puct", c_puct=2.0)
    assert options == SearchOptions(8, root="puct")
    assert TreeSearch(start).options == SelfPlay(ChampionPolicy()).options == SearchOptions()


@pytest.mark.parametrize(
    "call",
    [
        SearchOptions,
        SearchOptions().replace,
        lambda **options: TreeSearch([Position()], **options),
        lambda **options: SelfPlay(ChampionPolicy(), **options),
    ],
)
@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"speed": 1}, TypeError, "unexpected keyword argument 'speed'"),
        ({"c_puct": "1"}, TypeError, "c_puct"),
        ({"root": 1}, TypeError, "root"),
        ({"root": "ucb"}, ValueError, 'unknown root "ucb"; choose gumbel or puct'),
        ({"backup": "max"}, ValueError, 'unknown backup "max"; choose mean or policy'),
        ({"backup": None}, TypeError, "backup"),
        ({"num_simulations": 0}, ValueError, "num_simulations must be 1 to 16777216, not 0"),
        ({"num_simulations": True}, TypeError, "num_simulations must be an integer, not True"),
        ({"max_considered": 0}, ValueError, "max_considered must be 1 to 1024, not 0"),
        ({"c_puct": -1.0}, ValueError, "c_puct must be a finite number from 0, not -1"),
        ({"c_visit": 1e39}, ValueError, "c_visit must be a finite number from 0, not 1e39"),
        ({"c_scale": math.inf}, ValueError, "c_scale must be a finite number from 0, not inf"),
        ({"temperature": -0.5}, ValueError, "temperature must be a finite number from 0, not -0.5"),
        (
            {"temperature": math.nan},
            ValueError,
            "temperature must be a finite number from 0",
        ),
        ({"dirichlet_alpha": 0}, ValueError, "dirichlet_alpha must be a finite number above 0"),
        ({"dirichlet_share": 2.0}, ValueError, "dirichlet_share must be from 0 to 1, not 2.0"),
        ({"margin_weight": 1.5}, ValueError, "margin_weight must be from 0 to 1, not 1.5"),
        ({"margin_weight": -0.1}, ValueError, "margin_weight must be from 0 to 1, not -0.1"),
        ({"solve_roots_below": -1}, ValueError, "solve_roots_below must be 0 to"),
        ({"solve_leaves_below": -2}, ValueError, "solve_leaves_below must be 0 to"),
    ],
)
def test_bad_options(call, options, error, words) -> None:
    with pytest.raises(error) as caught:
        call(**options)
    notes = getattr(caught.value, "__notes__", [])
    assert words in " ".join([str(caught.value), *notes])
