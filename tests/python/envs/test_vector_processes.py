"""VectorEnv among processes and threads, and the memory it takes."""

from __future__ import annotations

import multiprocessing
import sys
import threading

import gymnasium
import numpy as np
import pytest

from mijnlieff import VectorEnv
from processes import printed_by

LARGE = 4096


def digest(env: VectorEnv) -> float:
    total = 0.0
    for step in range(1, 6):
        observations, rewards, *_ = env.step(env.sample_actions())
        total += step * float(observations.sum(dtype=np.float64)) + float(rewards.sum())
    return total


def work(env: VectorEnv, results) -> None:
    results.put(digest(env))


@pytest.mark.timeout(60)
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_threads_survive_in_a_child_process(method):
    env = VectorEnv(LARGE, num_threads=2)
    env.reset(seed=0)
    env.step(env.sample_actions())  # the threads run now
    context = multiprocessing.get_context(method)
    results = context.Queue()
    children = [context.Process(target=work, args=(env, results)) for _ in range(2)]
    for child in children:
        child.start()
    found = [results.get(timeout=50) for _ in children]
    for child in children:
        child.join()
        assert child.exitcode == 0
    assert found == [digest(env)] * 2


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("context", "options"),
    [("fork", {}), ("spawn", {}), ("spawn", {"opponent": None, "observation": "planes"})],
)
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_sync_async_and_native_environments_play_the_same_games(context, options):
    name = "mijnlieff:Mijnlieff-v0"
    native = gymnasium.make_vec(
        name, 3, vectorization_mode="vector_entry_point", autoreset="next_step", **options
    )
    sync = gymnasium.make_vec(name, 3, vectorization_mode="sync", **options)
    processes = {"context": context}
    parallel = gymnasium.make_vec(
        name, 3, vectorization_mode="async", vector_kwargs=processes, **options
    )
    envs = (native, sync, parallel)
    (expected, info), *found = [env.reset(seed=4) for env in envs]
    for observations, other in found:
        assert np.array_equal(observations, expected)
        assert np.array_equal(other["action_mask"], info["action_mask"])
    for _ in range(40):
        actions = native.unwrapped.sample_actions()
        expected, *found = [env.step(actions) for env in envs]
        for step in found:
            assert all(map(np.array_equal, step[:4], expected[:4]))
            assert np.array_equal(step[4]["action_mask"], expected[4]["action_mask"])
    for env in envs:
        env.close()


def test_two_threads_at_once_are_refused_and_nothing_breaks():
    env = VectorEnv(LARGE, opponent="minimax", num_threads=1, copy=False)
    env.reset(seed=0)
    refused, stepped = [], []

    def run():
        for _ in range(20):
            try:
                env.step(env.sample_actions())
                stepped.append(1)
            except RuntimeError as error:
                refused.append(str(error))
            except ValueError:
                pass  # actions of another thread's step

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stepped
    assert refused
    assert all("another thread" in message for message in refused)
    env.step(env.sample_actions())


#: Stacks this large leave room for all other memory where address space is limited.
STACK = 1 << 30

#: Steps games and searches trees with four threads and with one, and prints how many threads there
#: were after the games and after the searches, at most. An argument limits those beside the first.
FEW_THREADS = f"""
import os, resource, sys
import numpy as np
from mijnlieff import Position, TreeSearch, VectorEnv

def count():
    return len(os.listdir("/proc/self/task"))

def grow(search):
    while (batch := search.select()) is not None:
        logits = batch.observation[:, :1] + np.arange(65)
        search.update(np.sin(logits), np.cos(logits[:, 0]))
    return search.policy_targets, search.actions

for granted in sys.argv[1:]:
    pages = int(open("/proc/self/statm").read().split()[0])
    room = int(granted) * {STACK} + {STACK} // 2
    limit = pages * resource.getpagesize() + room
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
most = 1
envs = [VectorEnv(4096, num_threads=number) for number in (1, 4)]
for env in envs:
    env.reset(seed=3)
for _ in range(30):
    actions = envs[0].sample_actions()
    assert (actions == envs[1].sample_actions()).all()
    one, other = (env.step(actions) for env in envs)
    assert all(map(np.array_equal, one[:4], other[:4]))
    assert np.array_equal(one[4]["action_mask"], other[4]["action_mask"])
    most = max(most, count())
searches = [TreeSearch([Position()] * 512, 4, num_threads=number) for number in (1, 4)]
assert all(map(np.array_equal, *map(grow, searches)))
print(most, max(most, count()))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts and refuses threads as Linux does")
@pytest.mark.parametrize("granted", [[], ["0"], ["1"], ["2"]], ids=["all", "none", "one", "two"])
def test_what_threads_would_do_is_done_without_them(granted):
    """Address space is what runs out: a limit on the number of threads means nothing to root."""
    environment = {"OPENBLAS_NUM_THREADS": "1", "RUST_MIN_STACK": str(STACK)}
    games, searches = map(int, printed_by(FEW_THREADS, *granted, **environment).split())
    if granted:
        assert max(games, searches) <= 1 + int(granted[0])
    else:
        assert (games, searches) == (4, 7)


# Games that start together end together: most of them in two steps, whose arrays and last
# observations are all in memory at once if the caller keeps those of the step before.
@pytest.mark.parametrize("copy", [True, False])
def test_memory_of_a_large_batch(copy):
    code = f"""
import mijnlieff
def peak():
    # Not `ru_maxrss`, which a child inherits from its parent.
    lines = open("/proc/self/status").read().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM")))
small = mijnlieff.VectorEnv(4, num_threads=1)
small.reset(seed=0)
small.step(small.sample_actions())
before = peak()
env = mijnlieff.VectorEnv(65536, num_threads=1, copy={copy})
observations, info = env.reset(seed=0)
for _ in range(20):
    observations, rewards, ended, truncated, info = env.step(env.sample_actions())
print(peak() - before)
"""
    kibibytes = int(printed_by(code))
    assert kibibytes < 64 * 1024, f"{kibibytes / 1024:.1f} MiB"
