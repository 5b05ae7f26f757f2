"""Keep inputs of the fuzz targets in `fuzz/seeds`: a file for each target, a line for each input.

    python3 -m tools.release.fuzz_seeds unpack
    python3 -m tools.release.fuzz_seeds pack

The first lines were made from real games and files. `unpack` writes them where cargo-fuzz looks
for inputs, `fuzz/corpus`. `pack` adds the shortest inputs of that folder, up to `LIMIT` bytes for
each target; run `cargo +nightly fuzz cmin TARGET` before, which leaves out inputs that reach
nothing new.
"""

from __future__ import annotations

import argparse
import hashlib

from tools.results import ROOT

FUZZ = ROOT / "fuzz"
#: Bytes of the inputs of a target.
LIMIT = 8_000


def kept(target: str) -> list[bytes]:
    """Return the inputs in the repository."""
    text = (FUZZ / "seeds" / f"{target}.txt").read_text()
    return [bytes.fromhex(line) for line in text.splitlines()]


def unpack(target: str) -> None:
    """Write the kept inputs of a target as files."""
    folder = FUZZ / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    for content in kept(target):
        (folder / hashlib.sha1(content).hexdigest()).write_bytes(content)


def pack(target: str) -> None:
    """Keep the shortest inputs that were found, besides those that are kept already."""
    inputs = kept(target)
    found = {path.read_bytes() for path in (FUZZ / "corpus" / target).iterdir()} - set(inputs)
    for content in sorted(found, key=lambda it: (len(it), it)):
        if sum(map(len, inputs)) + len(content) > LIMIT:
            break
        inputs.append(content)
    lines = "".join(f"{content.hex()}\n" for content in inputs)
    (FUZZ / "seeds" / f"{target}.txt").write_text(lines)


def main() -> None:
    """Unpack or pack the inputs of all targets."""
    parser = argparse.ArgumentParser(description="Keep inputs of the fuzz targets.")
    parser.add_argument("action", choices=("unpack", "pack"))
    action = unpack if parser.parse_args().action == "unpack" else pack
    for path in sorted((FUZZ / "seeds").iterdir()):
        action(path.stem)


if __name__ == "__main__":
    main()
