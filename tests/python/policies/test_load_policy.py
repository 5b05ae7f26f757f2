"""Policies by name: every form, wherever a policy is taken, and what is said of wrong ones."""

import sys
from pathlib import Path

import pytest

import mijnlieff
from mijnlieff import (
    ChampionPolicy,
    CheckpointError,
    GreedyPolicy,
    MijnlieffEnv,
    MinimaxPolicy,
    Network,
    NetworkPolicy,
    PerfectPolicy,
    Policy,
    PolicyError,
    Position,
    RandomPolicy,
    SearchOptions,
    Variant,
    VectorEnv,
    evaluate,
    load_policy,
)
from mijnlieff.cli.main import main
from mijnlieff.policies import RolloutPolicy
from mijnlieff.widget import Table
from network_inputs import network_for
from program_ends import raising

MODULE = '''
from mijnlieff import GreedyPolicy

greedy = GreedyPolicy(7)


class Last:
    """Plays the last legal action."""

    def act(self, position):
        return int(position.legal_actions()[-1])


class Group:
    inner = Last()


def make():
    return Last()


def fails():
    raise KeyError("no such network")


number = 3
'''

NAMES = {
    "random": RandomPolicy,
    "greedy": GreedyPolicy,
    "minimax": lambda seed: MinimaxPolicy(2, seed),
    "minimax:3": lambda seed: MinimaxPolicy(3, seed),
    "perfect": PerfectPolicy,
    "perfect:0.25": lambda seed: PerfectPolicy(seed, 0.25),
    "champion": ChampionPolicy,
    "champion:0": ChampionPolicy,
}

FORMS = [
    *NAMES,
    "champion:2",
    "rollouts:4",
    "network.bin",
    "network.bin:2",
    "my_players:greedy",
    "my_players:Last",
    "my_players:make",
    "my_players:Group.inner",
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with a network and a module."""
    network_for(Variant(), seed=5).save(tmp_path / "network.bin")
    (tmp_path / "my_players.py").write_text(MODULE)
    (tmp_path / "broken_players.py").write_text("1 / 0")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    yield tmp_path
    for name in ("my_players", "broken_players"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", NAMES)
def test_names_of_built_in_policies(name):
    assert load_policy(name) == NAMES[name](0)
    assert load_policy(name, seed=3) == load_policy(name, 3) == NAMES[name](3)


def test_names_of_searches(folder):
    rollouts, champion = load_policy("rollouts:4", 3), load_policy("champion:16", seed=2)
    assert champion == ChampionPolicy(2, search=16)
    assert repr(rollouts) == repr(RolloutPolicy(4, seed=3))


class PathOfBytes:
    """A path may be given as bytes by its object."""

    def __fspath__(self):
        return b"network.bin"


def test_paths_of_networks(folder):
    assert load_policy("network.bin", 4) == NetworkPolicy(Network.load("network.bin"), seed=4)
    searching = load_policy("network.bin:8", seed=4)
    options = SearchOptions(8, solve_roots_below=9, solve_leaves_below=9)
    assert searching == NetworkPolicy(Network.load("network.bin"), seed=4, search=options)
    assert searching.exact_endings == (9, 8)
    for path in (Path("network.bin"), folder / "network.bin", str(folder / "network.bin")):
        assert load_policy(path) == load_policy("network.bin")
    assert load_policy(PathOfBytes()) == load_policy("network.bin")
    assert evaluate(PathOfBytes(), "random", 2).policy == "network.bin"
    # A folder stands for the network in it, as one from the Hugging Face Hub does.
    assert load_policy(folder) == load_policy(".") == load_policy("network.bin")
    assert load_policy(f"{folder}:8", seed=4) == searching
    # The whole text is a path if there is such a file.
    (folder / "network.bin").rename(folder / "network:8")
    assert load_policy("network:8") == load_policy(folder / "network:8")
    assert load_policy("network:8").search is None


def test_a_run_that_also_holds_an_exported_network_is_the_run(folder):
    (folder / "checkpoint.pt").write_text("not a checkpoint")
    with pytest.raises(CheckpointError, match=r"checkpoint.pt is truncated, or not a checkpoint"):
        load_policy(folder)
    assert load_policy(folder / "network.bin").search is None


def test_a_built_in_name_comes_before_a_file(folder):
    (folder / "network.bin").rename(folder / "random")
    assert load_policy("random") == RandomPolicy()
    assert load_policy("./random") == load_policy(Path("random")) != RandomPolicy()


def test_objects_of_modules(folder):
    assert load_policy("my_players:greedy", seed=1) == GreedyPolicy(7)
    position = Position()
    for name in ("Last", "make", "Group.inner"):
        policy = load_policy(f"my_players:{name}")
        assert isinstance(policy, Policy)
        assert policy.act(position) == position.legal_actions()[-1]


def test_policies_are_returned_as_they_are():
    policy = RandomPolicy()
    assert load_policy(policy) is policy


@pytest.mark.parametrize("name", FORMS)
def test_every_form_is_taken_everywhere(folder, name, capsys):
    env = VectorEnv(2, opponent=name, seat="dark")
    _, info = env.reset(seed=0)
    assert info["to_play"].tolist() == [1, 1]
    env.step(env.sample_actions())
    single = MijnlieffEnv(opponent=name, seat="dark")
    single.reset(seed=0)
    assert evaluate(name, "random", 2).policy.removesuffix(" + solver") == name
    table = Table(Position(), name, "dark", lambda: None)
    table.begin()
    assert table.join(60) and len(table.game.actions) == 1
    assert main(["evaluate", name, "random", "--games", "2"]) == 0
    assert name in capsys.readouterr().out


def test_commands_find_modules_in_the_current_folder(folder, monkeypatch, capsys):
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one != str(folder)])
    assert main(["evaluate", "my_players:Last", "random", "--games", "2"]) == 0


def test_reports_call_a_path_by_its_text(folder):
    assert evaluate(Path("network.bin"), "random", 2).policy == "network.bin"


WRONG = [
    ("gredy", ValueError, r"unknown policy 'gredy', .*; did you mean 'greedy'\?"),
    ("Random", ValueError, r"did you mean 'random'\?"),
    ("minmax:4", ValueError, r"no file or run folder 'minmax' either; did you mean 'minimax:4'\?"),
    ("champoin:64", ValueError, r"did you mean 'champion:64'\?"),
    ("", ValueError, r"unknown policy '', .*; choose random, greedy, minimax"),
    ("nobody", ValueError, r"unknown policy 'nobody', .*; choose random, greedy, minimax"),
    ("nobody:5", ValueError, r"there is no file or run folder 'nobody' either; choose"),
    ("random:2", ValueError, r"'random' takes no number: not 'random:2'"),
    ("random:", ValueError, r"'random' takes no number"),
    ("minimax:", ValueError, r"'' is not an integer: .* such as minimax:4"),
    ("minimax:two", ValueError, r"'two' is not an integer: .* such as minimax:4"),
    ("minimax:1.5", ValueError, r"'1.5' is not an integer"),
    ("minimax:-1", ValueError, r"depth must be 1 to 64 plies, not -1"),
    ("perfect:often", ValueError, r"'often' is not a number: .* such as perfect:0.1"),
    ("perfect:2", ValueError, r"2"),
    ("rollouts", ValueError, r"'rollouts' needs a number, such as rollouts:100"),
    ("rollouts:0", ValueError, r"num_simulations"),
    ("champion:x", ValueError, r"'x' is not an integer: .* such as champion:64"),
    ("champion:-1", ValueError, r"num_simulations .* not -1"),
    ("runs/none", CheckpointError, r"no file or run folder runs/none$"),
    ("runs/none:64", CheckpointError, r"no file or run folder runs/none$"),
    ("agent.bin", CheckpointError, r"no file or run folder agent.bin$"),
    ("./no.such:thing", CheckpointError, r"no file or run folder ./no.such:thing$"),
    (
        "other",
        CheckpointError,
        r"the folder other holds no run and no network: .* no checkpoint.pt and no network.bin$",
    ),
    ("run:x", ValueError, r"'x' is not a number of simulations: .* such as run:64"),
    ("my_players.py:Last", ValueError, r"module without .py, such as my_players:Last$"),
    ("other/mine.py:Last", ValueError, r"module without .py, such as other.mine:Last$"),
    ("empty.bin", CheckpointError, r"empty.bin is truncated, or not a checkpoint"),
    ("text.bin", CheckpointError, r"text.bin is truncated, or not a checkpoint"),
    ("short.bin", CheckpointError, r"short.bin: .*truncated"),
    ("my_players:nothing", PolicyError, r"'my_players:nothing': AttributeError: .*'nothing'"),
    ("my_players:number", PolicyError, r"TypeError: a policy is .*, not 3 of type int"),
    ("my_players:fails", PolicyError, r"KeyError: 'no such network'"),
    ("broken_players:greedy", PolicyError, r"ZeroDivisionError: division by zero"),
    ("no_such_module:greedy", ValueError, r"there is no module 'no_such_module'; choose"),
    ("longest" * 50 + ":greedy", ValueError, r"there is no module 'longest"),
    ("mijnlieff.nothing:greedy", ValueError, r"there is no module 'mijnlieff.nothing'"),
    ("champoin:best", ValueError, r"there is no module 'champoin'; did you mean 'champion:best'"),
]


@pytest.mark.parametrize(("name", "error", "message"), WRONG, ids=[one[0] for one in WRONG])
def test_wrong_names_are_told_apart(folder, name, error, message, capsys):
    content = (folder / "network.bin").read_bytes()
    (folder / "other").mkdir()
    (folder / "other" / "mine.py").touch()
    (folder / "run").mkdir()
    (folder / "run" / "checkpoint.pt").touch()
    (folder / "empty.bin").touch()
    (folder / "text.bin").write_text("hello")
    (folder / "short.bin").write_bytes(content[:-10])
    for call in (
        lambda: load_policy(name),
        lambda: VectorEnv(2, opponent=name),
        lambda: evaluate("random", name, 2),
    ):
        with pytest.raises(error, match=message):
            call()
    code = 1 if error in (CheckpointError, PolicyError) else 2
    assert main(["evaluate", "random", name, "--games", "2"]) == code
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "Traceback" not in told


def test_a_package_may_come_with_the_network_of_its_player(folder):
    package = folder / "package_of_a_player"
    package.mkdir()
    (folder / "network.bin").rename(package / "network.bin")
    (package / "__init__.py").write_text(
        "from mijnlieff import Network, NetworkPolicy\n"
        "player = NetworkPolicy(Network.load(__path__[0] + '/network.bin'))\n"
    )
    assert isinstance(load_policy("package_of_a_player:player"), NetworkPolicy)


def test_an_error_of_reading_without_a_number_is_told(folder, monkeypatch):
    monkeypatch.setattr("pathlib.Path.open", raising(OSError("the tape is gone")))
    with pytest.raises(CheckpointError, match=r"cannot read network\.bin: the tape is gone"):
        load_policy("network.bin")


def test_a_module_that_needs_a_missing_package_is_not_called_missing(folder):
    (folder / "broken_players.py").write_text("import no_such_package")
    with pytest.raises(PolicyError, match="No module named 'no_such_package'"):
        load_policy("broken_players:greedy")


def test_wrong_types_and_seeds():
    with pytest.raises(CheckpointError, match=r"no file or run folder none$"):
        load_policy(Path("none"))
    for policy in (RandomPolicy, 3, None, [RandomPolicy()]):
        with pytest.raises(TypeError, match="a policy is a name, a path or an object with"):
            load_policy(policy)
    with pytest.raises(ValueError, match=r"seed must be 0 to .*, not -1"):
        load_policy("random", -1)
    with pytest.raises(TypeError, match="seed"):
        load_policy("random", "1")


@pytest.mark.parametrize(
    ("module", "wrapper"),
    [
        ("stable_baselines3.ppo.ppo", r"integrations\.sb3\.SB3Policy\(model\)"),
        ("ray.rllib.core.rl_module.rl_module", r"integrations\.rllib\.RLModulePolicy\(module\)"),
        ("tensordict.nn.common", r"integrations\.torchrl\.ActorPolicy\(actor\)"),
        ("pyspiel", r"integrations\.open_spiel\.BotPolicy\(game, bot\)"),
        ("torch.nn.modules.module", r"NetworkPolicy\(fn\), where fn\(observations, masks\) calls"),
    ],
)
def test_models_of_frameworks_are_told_what_makes_policies_of_them(module, wrapper):
    model = type("Mine", (type("Base", (), {"__module__": module}),), {})()
    for take in (load_policy, lambda it: mijnlieff.MijnlieffEnv(opponent=it)):
        with pytest.raises(TypeError, match=f"a Mine has neither act nor act_batch: .*{wrapper}"):
            take(model)


def test_a_network_without_its_policy_is_told():
    network = ChampionPolicy().model
    with pytest.raises(TypeError, match=r"a Network has neither act nor act_batch: give Network"):
        load_policy(network)


@pytest.mark.parametrize("number", ["abc", "1e3", "", "-1"])
def test_a_file_with_a_wrong_number_is_not_said_to_be_missing(tmp_path, number):
    path = tmp_path / "network.bin"
    path.write_bytes(b"")
    with pytest.raises(ValueError, match=rf"'{number}' is not a number of simulations: .*bin:64"):
        load_policy(f"{path}:{number}")
