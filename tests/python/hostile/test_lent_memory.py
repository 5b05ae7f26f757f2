"""Arrays that look at Rust's memory, and threads that change them in every way they can.

Each abuse runs in a separate process, which must end well: a corrupted heap ends a process.
"""

import os
import sys
import textwrap
import weakref

import numpy as np
import pytest

from mijnlieff import Variant, VectorEnv
from processes import printed_by

#: Seconds of each abuse, a minute in all; `ABUSE_SECONDS` sets another time.
SECONDS = float(os.environ.get("ABUSE_SECONDS", "6"))

ABUSE = """
import sys, threading, time, warnings
import numpy as np
from mijnlieff import Position, TreeSearch, VectorEnv

warnings.simplefilter("ignore")
lent, running = [], True
# `__setstate__` gives an array memory of NumPy's. To resize that while another thread writes to it
# corrupts the heap of any program that uses NumPy, so it is tried by itself.
kinds = [7] if sys.argv[2] == "setstate" else [0, 1, 2, 3, 4, 5, 6, 8]
dtypes = ["i1", "u1", "i2", "f4", "f8", "?", "u8", "c16", "V3"]


def spoil(draw):
    '''Do to one of the lent arrays what can be done to an array.'''
    array = lent[draw.integers(len(lent))]
    if array.dtype == object and array.size:
        place = draw.integers(len(array)) if array.ndim else ...
        inner = array[place]
        array[place] = [None, "mine", array, 3][draw.integers(4)]
        if isinstance(inner, np.ndarray):
            array = inner
    kind = kinds[draw.integers(len(kinds))]
    try:
        if kind == 0:
            array.dtype = dtypes[draw.integers(len(dtypes))]
        elif kind == 1:
            array.shape = (-1,) if array.ndim > 1 else (1, -1)
        elif kind == 2:
            array.setflags(write=bool(draw.integers(2)))
        elif kind == 3:
            array.resize(array.size * 2 + 1, refcheck=False)
        elif kind == 4:
            array[...] = draw.integers(2)
        elif kind == 5:
            array.strides = tuple(draw.permutation(array.strides))
        elif kind == 6:
            array.view("u1")[...] = draw.integers(256)
        elif kind == 7:
            array.__setstate__((1, (64,), np.dtype("int64"), False, bytes(512)))
        else:
            array.sort(axis=None) if array.dtype != object else array.fill(None)
    except (ValueError, TypeError, AttributeError, IndexError):
        pass


def keep_spoiling(seed):
    draw = np.random.default_rng(seed)
    while running:
        if lent:
            try:
                spoil(draw)
            except Exception as error:
                if "ArrayMemory" in str(error):
                    raise


def take(things):
    for thing in things:
        if isinstance(thing, dict):
            take(thing.values())
        elif isinstance(thing, np.ndarray):
            lent.append(thing)


def steps(games, **options):
    env = VectorEnv(games, copy=False, **options)
    untouched = VectorEnv(games, **options)
    env.reset(seed=0), untouched.reset(seed=0)
    count = 0
    while time.monotonic() < end:
        actions = untouched.sample_actions()
        results = env.step(actions)
        untouched.step(actions)
        del lent[:-200]
        take(results)
        count += 1
    assert [str(p) for p in env.positions()] == [str(p) for p in untouched.positions()]
    return count


def searches(games):
    draw, count = np.random.default_rng(0), 0
    while time.monotonic() < end:
        search = TreeSearch([Position()] * games, num_simulations=8, seed=count)
        while (batch := search.select()) is not None:
            del lent[:-200]
            take([batch.observation, batch.action_mask])
            search.update(
                draw.random((len(batch), 65), np.float32), draw.random(len(batch), np.float32)
            )
        take([search.actions, search.policy_targets, search.root_values, search.visit_counts])
        assert search.solved.shape == (games,)
        count += 1
    return count


end = time.monotonic() + float(sys.argv[1])
threads = [threading.Thread(target=keep_spoiling, args=(seed,)) for seed in range(3)]
for thread in threads:
    thread.start()
try:
    count = {work}
finally:
    running = False
    for thread in threads:
        thread.join()
print(count)
"""


@pytest.mark.parametrize(
    "work",
    [
        "steps(4096)",
        "steps(300, num_threads=2, observation='planes', dtype='uint8')",
        "steps(4096, observation='packed', illegal_action='lose')",
        "steps(512, opponent='minimax:2', autoreset='next_step')",
        "searches(300)",
    ],
)
@pytest.mark.parametrize("kinds", ["setstate", "others"])
@pytest.mark.slow
def test_threads_that_change_lent_arrays_change_nothing_else(work, kinds):
    program = textwrap.dedent(ABUSE).replace("{work}", work)
    assert int(printed_by(program, SECONDS, kinds, timeout=120 + 2 * SECONDS)) > 2


def test_a_weak_reference_never_sees_the_next_step():
    env = VectorEnv(64)
    observations, info = env.reset(seed=0)
    weak = weakref.ref(observations), weakref.ref(info["action_mask"])
    kept = [it().copy() for it in weak]
    del observations, info
    for _ in range(30):
        last = env.step(env.sample_actions())[-1].get("final_obs")
        for reference, before in zip(weak, kept, strict=True):
            seen = reference()
            assert seen is None or np.array_equal(seen, before)
            del seen
        if last is not None:
            row = next(row for row in last if row is not None)
            weak, kept = (*weak, weakref.ref(row)), [*kept, row.copy()]
            del row
        del last
    assert len(weak) > 5 and all(reference() is None for reference in weak[:2])


def test_what_an_array_lends_it_keeps_alive():
    env = VectorEnv(64)
    observations, info = env.reset(seed=0)
    parts = observations[3:5], memoryview(info["action_mask"]), info["to_play"][::2]
    before = [np.array(part) for part in parts]
    del observations, info, env
    for part, whole in zip(parts, before, strict=True):
        assert np.array_equal(np.asarray(part), whole)
    assert "ArrayMemory" in repr(parts[0].base.base)


def test_a_copy_in_the_middle_of_a_step_is_refused():
    import copy
    import pickle

    class Copier:
        refusals = 0

        def act_batch(self, positions):
            for copying in (copy.deepcopy, pickle.dumps):
                with pytest.raises(RuntimeError, match="middle of a step"):
                    copying(env)
                self.refusals += 1
            return [position.legal_actions()[0] for position in positions]

    copier = Copier()
    env = VectorEnv(4, opponent=copier)
    env.reset(seed=0)
    for _ in range(4):
        env.step(env.sample_actions())
    assert copier.refusals > 4
    assert copy.deepcopy(env).positions() == env.positions()


def test_a_step_with_waiting_games_cannot_be_finished():
    from mijnlieff._mijnlieff import BatchEnv

    class Outside:
        def act(self, position):
            return 0

    options = VectorEnv(3, opponent=Outside(), seat="dark")._options
    batch = BatchEnv(3, [Variant()], **options)
    batch.start_reset(0, None, 1)
    with pytest.raises(RuntimeError, match="3 games still wait for the opponent's action"):
        batch.finish_reset()
    batch.answer([position.legal_actions()[0] for position in batch.pending()])
    assert len(batch.finish_reset()) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit a process's memory")
def test_short_memory_is_a_memory_error():
    program = textwrap.dedent("""
        import resource
        import numpy as np
        from mijnlieff import Board, Variant, VectorEnv
        big = Variant(Board.from_text("\\n".join(["########"] * 8)))
        env = VectorEnv(2**21, big)
        resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, resource.RLIM_INFINITY))
        try:
            env.reset(seed=0)
        except MemoryError as error:
            print(error)
        print(VectorEnv(4).reset(seed=0)[0].shape)
    """)
    message, shape = printed_by(program).splitlines()
    assert message == f"not enough memory for an array: {2**21 * (3 * 64 + 8) * 4} bytes needed"
    assert shape == "(4, 56)"
