"""The command line, as a process: exit codes, streams, one-line errors."""

import importlib.util
import io
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands import ENVIRONMENT, mijnlieff, printed
from interrupts import PATIENCE, needs_signals
from mijnlieff import Position, evaluate, tournament
from mijnlieff.cli.main import main
from mijnlieff.cli.parser import COMMANDS as ALL_COMMANDS
from mijnlieff.cli.parser import command_of, make_parser
from processes import run_python
from program_ends import check_without_reader, each_end, raising

COMMANDS = [
    "train", "evaluate", "tournament", "grade", "best-response", "review", "solve", "play", "bench",
    "dataset", "export", "tablebase", "dev",
]  # fmt: skip
GROUPED = ["tablebase build", "dev perft", "dev completion"]
GROUPS = {name.split()[0] for name in GROUPED}


def test_help_lists_the_commands_and_needs_none_of_them():
    text = printed("--help")
    assert all(re.search(rf"\n    {command}\s", text) for command in COMMANDS)
    code = (
        "import sys; from mijnlieff.cli.main import main; main(['--help']);"
        "print([name for name in sys.modules if name.startswith(('torch', 'mijnlieff.train'))])"
    )
    result = run_python(code)
    assert result.stdout.endswith("[]\n")


@pytest.mark.parametrize("command", [*COMMANDS, *GROUPED])
def test_each_command_has_help_with_an_example_that_runs(command, tmp_path):
    text = printed(*command.split(), "--help")
    assert f"usage: mijnlieff {command} " in text
    examples = re.search(r"\n\nExamples:\n((?:  mijnlieff .*\n)+)\Z", text)[1]
    for example in examples.splitlines():
        words = shlex.split(example)[1:]
        assert words[: len(command.split())] == command.split()
        # They need PyTorch, a run, or minutes and gigabytes.
        if words[0] in ("train", "export", "dataset", "tablebase"):
            whole = command_of(words)
            assert make_parser([whole]).parse_args(words).command == whole.split()[-1]
        elif command != "dev completion" or importlib.util.find_spec("shtab"):
            assert printed(*words, stdin="quit\n", cwd=tmp_path)


def test_the_help_of_train_shows_nine_options_and_on_demand_all():
    short, whole = printed("train", "--help"), printed("train", "--help-all")
    options = {text: set(re.findall(r"^  (--[a-z-]+)", text, re.M)) for text in (short, whole)}
    assert len(options[short] - {"--help-all"}) == 9 and options[short] < options[whole]
    assert {"--gae-lambda", "--ray-workers", "--holdout"} <= options[whole]
    assert "many boards" not in short and short.count("\n  mijnlieff train ") == 3


def test_an_option_means_the_same_in_every_command():
    """Its name in the code and its placeholder, except that what is written differs."""
    meanings = {}
    names = [*(name for name in COMMANDS if name not in GROUPS), *GROUPED]
    assert sorted(names) == sorted(ALL_COMMANDS)
    for name in names:
        parser = make_parser([name])
        for word in name.split():
            parser = next(a for a in parser._actions if a.choices and word in a.choices)
            parser = parser.choices[word]
        for action in parser._actions:
            for option in action.option_strings:
                meanings.setdefault(option, {})[name] = (action.dest, action.metavar)
    assert len(meanings["--board"]) == 12 and len(meanings["--num-threads"]) == 8
    assert {option: by for option, by in meanings.items() if len(set(by.values())) > 1} == {
        "--out": {
            "train": ("out", None),
            "dataset": ("out", "FOLDER"),
            "export": ("out", "FILE"),
            "tablebase build": ("out", "FILE"),
        }
    }


@pytest.mark.parametrize(
    "command", ["evaluate", "tournament", "grade", "best-response", "dataset", "tablebase build"]
)
def test_the_help_says_what_threads_are_for(command):
    help_text = " ".join(printed(*command.split(), "--help").split())
    what = re.search(r"--num-threads NUM_THREADS threads for (.*?) \(default", help_text)[1]
    searches = "; tree searches of policies use all cores"
    assert what.endswith(searches) == (command != "tablebase build")


def test_version():
    assert re.fullmatch(r"mijnlieff \d+\.\d+\.\d+\n", printed("--version"))


def test_perft_counts():
    lines = printed("dev", "perft", 4).splitlines()[1:]
    assert [line.split()[:2] for line in lines] == [
        ["1", "48"],
        ["2", "1,152"],
        ["3", "26,272"],
        ["4", "557,472"],
    ]
    after = printed("dev", "perft", 1, "a1+, a3><").splitlines()[-1]
    moves = Position.from_actions(["a1+", "a3><"]).legal_actions()
    assert after.split()[:2] == ["1", str(len(moves))]


@pytest.mark.parametrize(
    ("options", "count"),
    [
        (["--board", "standard", "--opening", "corner_straight"], 96),
        (["--board", "blocks:0,0;2,0;4,0;6,0"], 1584),
        (["--board", "########/########", "--opening", "outside"], 1584),
        (["--board", "drawing.txt", "--copies", "2"], 1584),
    ],
)
def test_boards_in_every_spelling(options, count, tmp_path):
    (tmp_path / "drawing.txt").write_text("########\n########\n")
    line = printed("dev", "perft", 2, *options, cwd=tmp_path).splitlines()[-1]
    assert line.split()[:2] == ["2", f"{count:,}"]


def test_evaluate_prints_the_report_of_the_function():
    arguments = ["evaluate", "greedy", "random", "--games", "100", "--seed", "5"]
    report = evaluate("greedy", "random", games=100, seed=5)
    assert printed(*arguments) == f"{report}\n"
    assert json.loads(printed(*arguments, "--json")) == json.loads(json.dumps(report.to_dict()))
    perfect = json.loads(printed("evaluate", "minimax:4", "random", "--games", 2, "--json"))
    assert perfect["score"] == 1 and perfect["elo"] is None


def test_tournament_prints_the_report_of_the_function():
    names = ["random", "greedy", "minimax:2"]
    arguments = ["tournament", *names, "--games", "40", "--seed", "5"]
    report = tournament({name: name for name in names}, games=40, seed=5)
    assert printed(*arguments) == f"{report}\n"
    assert json.loads(printed(*arguments, "--json")) == json.loads(json.dumps(report.to_dict()))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command(shell):
    pytest.importorskip("shtab")
    script = printed("dev", "completion", shell)
    words = {word for name in [*COMMANDS, *GROUPED] for word in name.split()}
    assert all(word in script for word in words)
    assert "corner_straight" in script


def test_bash_completes_commands_options_choices_and_files(tmp_path):
    pytest.importorskip("shtab")
    bash = shutil.which("bash")
    if bash is None or sys.platform == "win32":
        pytest.skip("bash is missing")
    ask = """
COMP_WORDS=(mijnlieff "$@"); COMP_CWORD=$#
_shtab_mijnlieff mijnlieff "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
echo "${COMPREPLY[@]}"
"""
    script = printed("dev", "completion", "bash") + ask
    (tmp_path / "small.txt").touch()
    for words, expected in {
        ("tour",): "tournament",
        ("train", "--alg"): "--algo",
        ("solve", "--opening", "corner_"): "corner_straight",
        ("solve", "--tablebase", "sm"): "small.txt",
        ("play", "--board", "sm"): "small.txt",
        ("train", "--boards", "sm"): "small.txt",
    }.items():
        result = subprocess.run(
            [bash, "-c", script, "bash", *words],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
        assert result.stdout.split() == [expected]


@pytest.mark.parametrize(
    "options", [(), ("--num-threads", 2, "--copies", 3, "--opening", "corner")]
)
def test_bench_prints_a_line_for_steps_searches_and_the_solver(options):
    said = printed("bench", "--num-envs", 64, "--milliseconds", 5, *options)
    pattern = r"^(\S.*?) +([\d,.]+)/s +[\d.]+ [num]s +([\d,.]+) x (.+)$"
    rows = re.findall(pattern, said, re.MULTILINE)
    assert [(name, beside) for name, _, _, beside in rows] == [
        ("steps", "NumPy copying what they write"),
        ("simulations", "NumPy copying leaves"),
        ("positions with 8 empty cells", "minimax without a table"),
    ]
    assert all(float(number.replace(",", "")) > 0 for row in rows for number in row[1:3])


def test_bench_says_when_no_game_ends_with_so_few_empty_cells():
    board = "/".join(["#" * 8] * 8)
    said = printed("bench", "--num-envs", 1, "--milliseconds", 5, "--board", board)
    assert "no game of this variant gets to 8 empty cells, so none is solved" in said
    assert "simulations" in said


WRONG = [
    ([], "mijnlieff: error: .*COMMAND"),
    (["fly"], "invalid choice: 'fly'"),
    (["dev"], "mijnlieff dev: error: .*COMMAND"),
    (["dev", "fly"], "invalid choice: 'fly'"),
    (["perft", "3"], "invalid choice: 'perft'; did you mean 'dev perft'?"),
    (["evalute", "random"], "invalid choice: 'evalute'; did you mean 'evaluate'?"),
    (["solve", "--opening", "corners"], "'corners'; did you mean 'corner'?"),
    (["grade", "random", "--postions", "3"], "--postions 3; did you mean --positions?"),
    (["solve", "a1+", "a2+"], "unrecognized arguments: a2\\+ "),
    (["dev", "perft"], "mijnlieff dev perft: error: .*DEPTH"),
    (["dev", "perft", "-1"], "mijnlieff dev perft: error: "),
    (["dev", "perft", "two"], "'two' is not an integer from 0 to 100"),
    (["dev", "perft", "1", "--copies", "0"], "copies must be 1 to 127, not 0"),
    (["dev", "perft", "1", "--opening", "middle"], "invalid choice: 'middle'"),
    (["dev", "perft", "1", "--board", "blocks:0,0;1,1"], r"overlap"),
    (["dev", "perft", "1", "--board", "blocks:0,0;x"], r'"x" is not the corner X,Y'),
    (["dev", "perft", "1", "--board", "blocks:"], r"at least one block"),
    (["dev", "perft", "1", "--board", "##/#"], r"row 2 has 1 characters"),
    (["dev", "perft", "1", "--board", "no/such/file"], r"'no/such/file' is not .*No such file"),
    (["dev", "perft", "1", "a9+"], r"a9\+"),
    (["evaluate", "random"], "OPPONENT"),
    (
        ["evaluate", "random", "perfection"],
        "unknown policy 'perfection', .*; did you mean 'perfect'",
    ),
    (["evaluate", "random", "minimax:0"], "depth must be 1 to 64 plies, not 0"),
    (["evaluate", "random", "random", "--games", "7"], "positive and even.* not 7"),
    (["evaluate", "random", "random", "--games", "0"], "0 is not an integer from 2"),
    (["evaluate", "random", "random", "--seed", "-1"], "-1"),
    (["evaluate", "random", "random", "--opening-plies", "50"], "after 50 random opening plies"),
    (["tournament", "random"], "needs two or more policies, not 1"),
    (["tournament", "random", "nobody"], "unknown policy 'nobody'"),
    (["tournament", "random", "greedy", "random"], "'random' is given 2 times"),
    (["tournament", "random", "greedy", "--games", "3"], "positive and even.* not 3"),
    (["export", "run"], "--out"),
    (["review", ""], "the record has no moves"),
    (["review"], "the record has no moves"),
    (["review", "no/such/game.txt"], "there is no file no/such/game.txt"),
    (["review", "a9+"], r"found \"a9\+\""),
    (["review", "--max-seconds", "soon", "a1+"], "'soon' is not a finite number of seconds"),
    (["review", "a1+, a2+", "--board", "#####/#####/#####/#####"], "no position of this game can"),
    (["play", "--light", "nobody"], "unknown policy 'nobody'"),
    (["play", "--port", "8000"], "--port is for the page: add --browser"),
    (["play", "--no-open"], "--no-open is for the page: add --browser"),
    (["play", "--browser", "--eval"], "--eval is for the terminal"),
    (["bench", "--num-envs", "0"], "0 is not an integer from 1"),
    (["bench", "--num-threads", "2000"], "2000 is not an integer from 1 to 1024"),
    (["bench", "--copies", "0"], "copies must be 1 to 127, not 0"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG, ids=lambda case: str(case)[:50])
def test_wrong_arguments_are_one_line_and_exit_code_2(arguments, message, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    assert main(arguments) == 2
    out, errors = capsys.readouterr()
    assert out == ""
    assert re.search(message, errors), errors
    assert errors.startswith("mijnlieff") and errors.count("\n") == 1


def test_an_illegal_action_is_exit_code_1():
    result = mijnlieff("dev", "perft", 1, "a1+, a1+")
    assert result.returncode == 1
    assert "move 2 (a1+): action 0 (a1+) is illegal" in result.stderr
    assert result.stderr.count("\n") == 1


@each_end
def test_what_ends_a_command_is_one_line(error, code, words, monkeypatch, capsys):
    monkeypatch.setattr("mijnlieff.cli.evaluate.run", raising(error))
    assert main(["evaluate", "random", "greedy"]) == code
    assert capsys.readouterr().err == f"mijnlieff evaluate: {words}\n"


@pytest.mark.parametrize(
    ("command", "work"),
    [
        ("evaluate PLAYER random", "evaluate.evaluate"),
        ("tournament random PLAYER", "tournament.tournament"),
        ("dataset --players PLAYER random --out games", "dataset.make_dataset"),
        ("play --light random --dark PLAYER", "play_terminal.act_checked"),
        ("grade PLAYER", "grade.grade"),
    ],
)
def test_perfect_play_that_may_take_hours_is_announced(command, work, monkeypatch, capsys):
    monkeypatch.setattr(f"mijnlieff.cli.{work}", raising(KeyboardInterrupt()))
    large = ["--board", "#####/#####/#####/#####"]
    announced = {}
    for player in ("perfect", "perfect:0.3", "greedy"):
        words = command.replace("PLAYER", player).split()
        for board in ([], large):
            assert main([*words, *board]) == 130
            said = capsys.readouterr().err.partition("\n")[0]
            announced[player, bool(board)] = re.fullmatch("exact play is for.*take hours.*", said)
    is_for_any = command.startswith("grade")  # it needs the exact margins for every player
    assert {case for case, said in announced.items() if said} == {
        (player, True) for player in ("perfect", "perfect:0.3", *["greedy"] * is_for_any)
    }


# Each takes longer than a test waits.
LONG = [
    ["dev", "perft", "12"],
    ["evaluate", "minimax:30", "random", "--games", "2"],
    ["evaluate", "random", "random", "--games", "1000000000"],
    ["play", "--light", "minimax:30", "--dark", "random"],
    ["dataset", "--players", "minimax:30", "random", "--out", "games"],
    ["tablebase", "build", "--board", "####/####/####/###."],
]
KEPT = {
    "dataset": "the finished files were kept: the same command goes on with them",
    "tablebase build": "the finished rows were kept: the same command goes on with them",
}


@needs_signals
@pytest.mark.parametrize("arguments", LONG, ids=" ".join)
def test_ctrl_c_says_what_was_kept(arguments, tmp_path):
    code = (
        "import sys; from mijnlieff.cli.main import main; import mijnlieff.cli.evaluate;"
        "print('ready', flush=True); sys.exit(main(sys.argv[1:]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        cwd=tmp_path,
    ) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    command = command_of(arguments)
    said = f"mijnlieff {command}: interrupted, {KEPT.get(command, 'nothing was kept')}\n"
    if command == "play":
        said = ""
    elif command in KEPT:  # below their progress
        errors = errors.splitlines(keepends=True)[-1]
    assert (process.returncode, errors) == (130, said)


@pytest.mark.parametrize(
    "arguments",
    [
        ["dev", "perft", "4"],
        ["solve", "--json"],
        ["review", "a1+, a3><"],
        ["evaluate", "random", "random", "--games", "2"],
        ["tournament", "random", "greedy", "--games", "2"],
        ["grade", "random", "--positions", "3"],
        ["bench", "--milliseconds", "1"],
        ["play", "--light", "random", "--dark", "random"],
        ["play"],
        ["dataset", "--players", "random", "--games", "2", "--out", "games"],
    ],
    ids=" ".join,
)
def test_a_reader_that_leaves_is_no_accident(arguments, tmp_path):
    check_without_reader("mijnlieff", *arguments, cwd=tmp_path)


WIDE = ["--board", "/".join(["#" * 8] * 4), "--copies", "6"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here is always full")
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--version"], r"mijnlieff: error: \[Errno 28\] .*"),
        (["solve", "1. a1+"], r"mijnlieff solve: error: \[Errno 28\] .*"),
        # More than the buffer takes, so that it fails both then and at the end.
        (["play", "--light", "random", "--dark", "random", *WIDE], r".* error: \[Errno 28\] .*"),
        (["solve", "a1+, a1+"], r"mijnlieff solve: error: move 2 .*"),
    ],
    ids=["version", "solve", "play", "illegal"],
)
def test_a_full_disk_is_one_line(arguments, line):
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "mijnlieff", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT | {"PYTHONUNBUFFERED": ""},  # files have a buffer, as usual
        )
    assert result.returncode == 1
    assert re.fullmatch(line + "\n", result.stderr), result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such shell")
def test_a_closed_output_is_no_accident():
    command = ["sh", "-c", '"$@" >&-', "sh", sys.executable, "-m", "mijnlieff", "dev", "perft", "2"]
    closed = subprocess.run(command, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    assert (closed.returncode, closed.stderr) == (0, "")
