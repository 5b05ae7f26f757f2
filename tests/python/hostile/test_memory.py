"""Sizes that memory does not suffice for end in MemoryError, and the process goes on."""

from __future__ import annotations

import re
import sys

import pytest

from processes import printed_by

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="other systems do not limit a process's memory"
)

# Limits the memory beyond the part in use, makes a call, and plays on without a limit.
PROGRAM = """
import resource
import mijnlieff as m

def limit(more):
    pages = int(open("/proc/self/statm").read().split()[0])
    most = pages * resource.getpagesize() + more if more else resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))

p = m.Position()
large = m.Variant(m.Board.from_text("########\\n" * 8), copies=8)
m.envs.rollout([p], 5000)  # makes the memory of a thread
{setup}
limit({more})
try:
    {call}
except MemoryError as error:
    print(error, flush=True)
limit(None)
m.solving.set_table_bytes(64 << 20)
print(m.solve(p).margin, m.envs.rollout([p])[0].shape)
"""

MB = 1 << 20


def said(call: str, more: int, setup: str = "") -> list[str]:
    """The lines that the program prints."""
    code = PROGRAM.format(call=call, more=more, setup=setup)
    *lines, last = printed_by(code).splitlines()
    assert last == "-1 (1, 1, 2)"
    return lines


@pytest.mark.parametrize(
    ("call", "more", "message"),
    [
        (
            "m.best_response('greedy', max_positions=10**9)",
            200,
            r"^not enough memory for .*: \d+ bytes needed$",
        ),
        (
            "m.solving.set_table_bytes(2**40); m.solve(p)",
            1024,
            r"34361835520 bytes .* 1099511627776",
        ),
        (
            "m.solving.set_table_bytes(2**62); m.solve(p)",
            1024,
            r"34361835520 bytes .* 4611686018427387904",
        ),
        (
            "m.solving.set_table_bytes(2**40); m.solve(m.Position(m.Variant(copies=4)))",
            1024,
            r"34361835520 bytes",
        ),
        ("m.TreeSearch([p] * 10**6, 10)", 1024, r"trees of a search: \d{9,} bytes"),
        ("m.TreeSearch([p] * 10**5, 1000)", 1024, r"trees of a search: \d{9,} bytes"),
        ("m.SelfPlay(m.ChampionPolicy()).play(2**40)", 1024, r"games of self-play: \d{14,} bytes"),
        (
            "m.SelfPlay(m.ChampionPolicy(), num_games=10**6, num_simulations=256).play(10**6)",
            1024,
            r"not enough memory for .*: \d{9,} bytes",
        ),
        ("m.Board.arrangements(6, True)", 60, r"the boards: 134217728 bytes"),
        ("m.evaluation.random_openings(2**36, 0)", 1024, r"openings: \d{13} bytes"),
        ("m.envs.rollout([p], 2**28)", 1024, r"random games: \d{9,} bytes"),
        ("m.VectorEnv(2**24, large)", 1024, r"the games: \d{10} bytes"),
        ("m.VectorEnv(2**21).reset()", 300, r"array: \d{9} bytes"),
        ("m.encoding.mask_batch(many)", 60, r"a list: \d{8,9} bytes"),
        ("m.encoding.mask_batch(many)", 200, r"masks: 130000000 bytes"),
        ("m.encoding.observe_batch(many)", 300, r"observations: \d{9} bytes"),
        ("m.solve_batch(many)", 350, r"margins of positions: 260000000 bytes"),
        ("m.GreedyPolicy().act_batch(many)", 30, r"\d{8} bytes"),
    ],
)
def test_what_does_not_fit_is_refused(call, more, message):
    (line,) = said(call, more * MB, setup="many = [p] * 2_000_000")
    assert re.search(message, line), line


@pytest.mark.parametrize("more", [8, 16, 24])
def test_last_observations_that_do_not_fit_are_refused(more):
    # There is an array for each of half a million games.
    setup = """
env = m.VectorEnv(2**20, copy=False, observation="packed")
env.reset(seed=0)
play = lambda steps: [env.step(env.sample_actions()) and None for _ in range(steps)]
play(13)
"""
    assert len(said("play(6)", more * MB, setup=setup)) == 1


@pytest.mark.parametrize("call", ["env.reset(seed=7)", "env.set_positions([p], mask=one)"])
def test_without_memory_for_their_results_games_stay_as_they_are(call):
    # What is returned is held, so that the next call needs new arrays.
    setup = """
import numpy as np
env = m.VectorEnv(2**20)
held = [env.reset(seed=0), env.step(env.sample_actions())]
before, one = env.action_masks(), np.arange(2**20) == 7
"""
    check = "print((env.action_masks() == before).all())"
    code = PROGRAM.format(call=call, more=100 * MB, setup=setup) + check
    error, _, is_same = printed_by(code).splitlines()
    assert re.search(r"array: \d{8,} bytes needed$", error), error
    assert is_same == "True"


@pytest.mark.parametrize(
    "call",
    [
        # As many as are asked for take no memory before they are made.
        "m.TreeSearch([p], 2**24, max_considered=1024)",
        "m.ChampionPolicy().act_batch([p] * 3000)",
        "m.solving.set_table_bytes(2**40); m.solve(m.Position(large), max_nodes=50_000)",
    ],
)
def test_what_fits_is_done(call):
    if "large" in call:
        call = f"try: {call}\n    except m.SearchLimitError: pass"
    assert said(call, 512 * MB) == []


@pytest.mark.parametrize(
    ("make", "call", "error"),
    [
        ("'#' * 2**24", "m.Board.from_text(long)", "a board has 1 to 64 cells, not 16777216"),
        ("'#\\n' * 2**23", "m.Board.from_text(long)", "a board has 1 to 64 cells, not 8388608"),
        ("'a ' * 2**23", "m.Position.from_notation(long)", "three words"),
        ("'a' + '/' * 2**23 + ' - 0'", "m.Position.from_notation(long)", "4 rows of 4 characters"),
    ],
)
def test_long_texts_take_no_memory_of_their_own(make, call, error):
    call = f"try: {call}\n    except ValueError as error: assert {error!r} in str(error), error"
    assert said(call, 60 * MB, setup=f"long = {make}") == []


NETWORKS = """
import numpy as np

def weights(*sizes):
    try:
        make(*sizes, np.zeros(0, np.float32))
    except m.CheckpointError as error:
        return np.full(int(str(error).split()[-1]), 0.01, np.float32)

def make(*sizes):
    return m.Network.of_cells(large, *sizes)

start = m.Position(large).observation("flat")
observations = np.repeat(start[None], 40, axis=0)
"""


@pytest.mark.parametrize(
    ("call", "more"),
    [
        ("make(1, 7000, 1, deep)", 30),
        ("make(1200, 1, 1, wide)", 30),
        ("m.Network(file)", 30),
        ("network.evaluate(observations[:1])", 200),
        ("m.SelfPlay(network, num_games=2, num_simulations=2).play(1)", 200),
    ],
)
def test_networks_that_do_not_fit_are_refused(call, more):
    setup = NETWORKS + (
        "deep, wide = weights(1, 7000, 1), weights(1200, 1, 1)\n"
        "network = make(1, 7000, 1, deep)\nfile = network.to_bytes()"
    )
    (line,) = said(call, more * MB, setup=setup)
    assert re.search(r"not enough memory for the network: \d{8,10} bytes needed$", line), line


def test_with_any_amount_of_memory_the_book_is_read_or_refused():
    loop = """
    ends = set()
    for number in range(1, 40):
        if (child := os.fork()) == 0:
            limit(1)
            used, _ = resource.getrlimit(resource.RLIMIT_AS)
            for bits in range(22, 12, -1):
                while malloc(1 << bits):  # takes what is free in the memory in use
                    pass
            used += number << 18
            resource.setrlimit(resource.RLIMIT_AS, (used, resource.RLIM_INFINITY))
            try:
                m.solve(p)
            except MemoryError:
                os._exit(1)
            os._exit(0)
        ends.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    assert ends == {0, 1}, ends
"""
    setup = """
import ctypes
import os

malloc = ctypes.CDLL(None).malloc
malloc.restype = ctypes.c_void_p
m.solving.set_table_bytes(1 << 20)
"""
    assert said(loop, 0, setup=setup) == []


@pytest.mark.parametrize("sizes", [(1, 300, 1), (900, 1, 1)], ids=["deep", "wide"])
def test_with_any_amount_of_memory_a_network_works_or_is_refused(sizes):
    # Wherever memory ends, while layers are made, kernels spread out or hidden layers filled.
    setup = (
        NETWORKS
        + f"""
sizes = {sizes}
numbers = weights(*sizes)
refused = []

def try_it(number):
    try:
        make(*sizes, numbers).evaluate(observations, num_threads=1)
    except MemoryError:
        refused.append(number)
"""
    )
    call = """
    for number in range(24):
        limit((1 + 5 * number) << 20)
        try_it(number)
        limit(None)
    assert 1 < len(refused) < 24, len(refused)
"""
    assert said(call, 0, setup=setup) == []


def test_a_network_on_many_boards_is_made_ready_for_some_at_a_time():
    # On each board it takes 28 MB, on all of them 700 MB.
    setup = """
import numpy as np
canvas = m.Canvas(8, 8)

def make(numbers):
    return m.Network.on_canvas(canvas, 2, 1, 110, 1, numbers)

try:
    make(np.zeros(0, np.float32))
except m.CheckpointError as error:
    count = int(str(error).split()[-1])
network = make(np.random.default_rng(1).normal(size=count, scale=0.3).astype(np.float32))
texts = ["".join("#." [cell == gap] for cell in range(64)) for gap in range(26)]
rows = ["\\n".join(text[row : row + 8] for row in range(0, 64, 8)) for text in texts]
starts = [m.Position(m.Variant(m.Board.from_text(text))) for text in rows]
shown = m.encoding.observe_batch(starts, "planes", "float32", canvas)
"""
    call = """
    whole = network.evaluate(shown)
    chosen = network.choose(starts, 1.0, 5, 0)
    for i in (0, 12, 25):
        alone = network.evaluate(shown[i : i + 1])
        assert all(np.array_equal(one[0], all[i]) for one, all in zip(alone, whole))
        assert network.choose(starts[i : i + 1], 1.0, 5, i) == chosen[i]
    assert len(np.unique(whole[0], axis=0)) == 26
"""
    assert said(call, 600 * MB, setup=setup) == []


# Searches by made-up evaluations until memory runs out, then on without the limit.
SEARCH = """
from zlib import crc32
import numpy as np
rng = np.random.default_rng(0)
logits = rng.normal(size=(64, 257)).astype(np.float32)
values = np.tanh(rng.normal(size=64)).astype(np.float32)

def search():
    openings = m.evaluation.random_openings(64, 4, large)
    return m.TreeSearch(openings, 3000, root="puct", num_threads=1)

def evaluate(batch):
    # An evaluation depends on the position alone, not on its row.
    number = [crc32(row.tobytes()) % 64 for row in batch.observation]
    return logits[number], values[number]

def go_on(search):
    while (batch := search.select()) is not None:
        search.update(*evaluate(batch))

short, whole = search(), search()
go_on(whole)
"""


def test_a_search_goes_on_after_it_has_run_out_of_memory():
    call = "go_on(short)"
    check = (
        "limit(None); go_on(short)\n"
        "for name in ('actions', 'visit_counts', 'policy_targets', 'root_values'):\n"
        "    print(name, (getattr(short, name) == getattr(whole, name)).all())"
    )
    code = PROGRAM.format(call=call, more=10 * MB, setup=SEARCH) + check
    error, _, *same = printed_by(code).splitlines()
    assert re.search(r"trees of a search: \d{7,} bytes", error)
    assert [line.split()[1] for line in same] == ["True"] * 4
