"""Options and summaries shared by the tests."""

from __future__ import annotations

import signal
from collections import Counter

import pytest

from browser import browser, page

__all__ = ["browser", "page"]

DEFAULT_GAMES = 2_000
GAMES_PER_TEST = 100
TALLY = pytest.StashKey[Counter]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--games",
        type=int,
        default=DEFAULT_GAMES,
        help=f"random games to compare with the reference (default {DEFAULT_GAMES:,})",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[TALLY] = Counter()
    # A shell's background jobs ignore Ctrl-C, and so would the programs that tests interrupt.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Cut the games into batches, so that a failure names its seeds and no test runs for long."""
    if "seeds" in metafunc.fixturenames:
        games = range(metafunc.config.getoption("games"))
        starts = range(0, len(games), GAMES_PER_TEST)
        batches = [games[start : start + GAMES_PER_TEST] for start in starts]
        metafunc.parametrize("seeds", batches, ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}")


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Counter:
    """Counts of the comparisons, printed at the end of the run."""
    return request.config.stash[TALLY]


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    counts = config.stash[TALLY]
    if counts:
        told = ", ".join(f"{count:,} {what}" for what, count in counts.items())
        terminalreporter.write_line(f"core equal to the reference on {told}")
