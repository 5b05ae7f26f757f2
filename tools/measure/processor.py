"""The processor that measures something for the pages in docs."""

from __future__ import annotations

import platform
import re
from pathlib import Path

from mijnlieff._mijnlieff import num_cores

_CPUINFO = Path("/proc/cpuinfo")
#: What makes networks much faster, with its flag in Linux; the first that a processor has counts.
_EXTENSIONS = {"amx_tile": "AMX", "avx512f": "AVX-512", "avx2": "AVX2"}


def processor(cpuinfo: Path = _CPUINFO) -> str:
    """Return the name of the processor, and which vectors it computes with.

    Args:
        cpuinfo: the file in which Linux describes it. Without this file, the architecture is all
            that is known.
    """
    text = cpuinfo.read_text(encoding="utf-8") if cpuinfo.exists() else ""
    fields = dict(re.findall(r"^(.+?)[ \t]*: (.*)$", text, re.MULTILINE))
    name = re.sub(r"\((?:R|TM)\)|\b(?:CPU|Processor)\b|@.*", "", fields.get("model name", ""))
    flags = set(fields.get("flags", "").split())
    known = [label for flag, label in _EXTENSIONS.items() if flag in flags][:1]
    return " with ".join([" ".join(name.split()) or platform.machine(), *known])


def machine(device: str | None) -> str:
    """Return the processor and, if there is one, the device beside it, with the cores there are.

    Args:
        device: a name of PyTorch such as ``"cuda"``, or None.
    """
    if device is None:
        return processor()
    import torch

    kind = torch.device(device).type
    name = torch.cuda.get_device_name(device) if kind == "cuda" else kind
    return f"{processor()}, {num_cores()} cores, and {name}"
