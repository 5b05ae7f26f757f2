"""What a run sets in its process."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest
import torch

from mijnlieff.train import process
from mijnlieff.train.config import Budget
from mijnlieff.train.run import trainer
from mijnlieff.train.run.folder import RunFolder
from processes import printed_by
from tiny_runs import STANDARD, tiny

# Takes and frees memory as a step of learning does, and prints the page faults of each megabyte.
STEPS = """
import resource
import numpy as np
from mijnlieff.train.process import keep_memory

def faults(steps):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(steps):
        taken = [np.ones(3 << 20, np.uint8) for _ in range(30)]
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / (steps * 90)

print(keep_memory())
faults(5)
print(faults(5))
"""
# Prints the sizes of the parts of the heap, in kB, and whether large pages are asked for in each.
HEAP = """
import re
from mijnlieff.train.process import keep_memory

assert keep_memory() and keep_memory()
with open("/proc/self/smaps") as file:
    parts = re.split(r"(?m)^(?=[0-9a-f]+-[0-9a-f]+ )", file.read())
heap = [part for part in parts if "[heap]" in part.partition(chr(10))[0]]
print(*(re.search(r"Size: +(\\d+)", part)[1] for part in heap))
print(*(" hg" in part.partition("VmFlags:")[2] for part in heap))
"""
LARGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage")
VARIABLES = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def take_memory(**variables: str) -> tuple[str, float]:
    """Return what `keep_memory` says in a new process, and its page faults of each megabyte."""
    kept, faults = printed_by(STEPS, **variables).split()
    return kept, float(faults)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can keep memory")
def test_memory_is_kept_for_the_next_step():
    kept, faults = take_memory()
    assert kept == "True"
    assert faults < 5  # of 256 pages


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can keep memory")
@pytest.mark.skipif(not LARGE_PAGES.exists(), reason="the system has no large pages")
def test_what_is_kept_lies_in_large_pages():
    sizes, flags = printed_by(HEAP).splitlines()
    # What was there before has small pages.
    assert [advised for advised in flags.split() if advised == "True"] == ["True"]
    advised = dict(zip(flags.split(), sizes.split(), strict=True))["True"]
    assert 0.9 * 2**20 < float(advised) < 2**20  # kB


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc can keep memory")
def test_the_environment_has_the_last_word():
    kept, faults = take_memory(MALLOC_MMAP_THRESHOLD_="1000000")
    assert kept == "False"
    assert faults > 20  # fewer than 256 where the system gives large pages


def test_other_systems_keep_nothing(monkeypatch):
    monkeypatch.setattr(process.ctypes, "CDLL", lambda name: object())  # as musl, without mallopt
    assert process.keep_memory() is False
    monkeypatch.setattr(process.sys, "platform", "darwin")
    assert process.keep_memory() is False


def test_a_run_on_the_processor_keeps_memory(monkeypatch, tmp_path):
    calls = []
    monkeypatch.setattr(trainer, "keep_memory", lambda: calls.append(True))
    run = trainer.Trainer(tiny("ppo"), Budget(steps=1), STANDARD)
    run.run(RunFolder(tmp_path), None, lambda: True)
    run.close()
    assert calls == [True]


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError(
            "[enforce fail at alloc_cpu.cpp:119] DefaultCPUAllocator: you tried to allocate"
        ),
        RuntimeError("MPS backend out of memory (MPS allocated: 9 GB). Tried to allocate 2 GB"),
        torch.cuda.OutOfMemoryError("CUDA out of memory."),
    ],
)
def test_each_lack_of_memory_is_a_memory_error(error):
    with pytest.raises(MemoryError, match="not enough memory for this: choose less"):
        with process.enough_memory("this: choose less"):
            raise error


def test_other_errors_stay_as_they_are():
    with pytest.raises(RuntimeError, match="shapes"), process.enough_memory("this"):
        raise RuntimeError("shapes differ")
