"""Examples for entries of the API reference whose docstrings have none; a test runs them.

Each begins with ``import mijnlieff``, which is left out here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

EXAMPLES = {
    "Board": """
>>> board = mijnlieff.Board.from_text("##../##../..##/..##")
>>> board.num_cells, board.width, len(board.symmetries)
(8, 4, 4)
""",
    "Variant": """
>>> variant = mijnlieff.Variant(opening="corner", copies=3)
>>> variant.num_actions, variant.action_name(0), str(variant)
(65, 'a1+', 'standard corner 3')
""",
    "Position": """
>>> position = mijnlieff.Position().play("a1+").play("a3><")
>>> position.to_play, position.ply, len(position.legal_actions()), position.is_over
(0, 2, 20, False)
""",
    "Canvas": """
>>> boards = [mijnlieff.Board.standard(), mijnlieff.Board.from_text("######/######")]
>>> canvas = mijnlieff.Canvas.around([mijnlieff.Variant(board) for board in boards])
>>> canvas.height, canvas.width, canvas.num_actions
(4, 6, 97)
""",
    "Piece": """
>>> [piece.name for piece in mijnlieff.Piece]
['STRAIGHT', 'DIAGONAL', 'PUSHER', 'PULLER']
""",
    "parse_record": """
>>> mijnlieff.parse_record("1. a1+, a3><; 2. a2+")
[0, 56, 4]
""",
    "format_record": """
>>> mijnlieff.format_record([0, 56, 4])
'1. a1+, a3><; 2. a2+'
""",
    "rules.perft": """
>>> mijnlieff.rules.perft(mijnlieff.Position(), 3)
26272
""",
    "MijnlieffEnv": """
>>> env = mijnlieff.MijnlieffEnv(opponent="greedy", seat="light")
>>> observation, info = env.reset(seed=0)
>>> observation.shape, int(info["action_mask"].sum())
((56,), 48)
""",
    "VectorEnv": """
>>> env = mijnlieff.VectorEnv(1024)  # self-play
>>> observations, info = env.reset(seed=0)
>>> observations, rewards, terminations, truncations, info = env.step(env.sample_actions())
>>> observations.shape, rewards.dtype, info["action_mask"].shape
((1024, 56), dtype('float32'), (1024, 65))
""",
    "envs.rollout": """
>>> points, plies = mijnlieff.envs.rollout([mijnlieff.Position()], repeats=100)
>>> points.shape, plies.shape
((1, 100, 2), (1, 100))
""",
    "Policy": """
>>> class First:
...     def act(self, position):
...         return int(position.legal_actions()[0])
...
...     def act_batch(self, positions):
...         return [self.act(position) for position in positions]
>>> isinstance(First(), mijnlieff.Policy)
True
""",
    "load_policy": """
>>> mijnlieff.load_policy("minimax:4")
MinimaxPolicy(depth=4, seed=0)
>>> try:
...     mijnlieff.load_policy("champoin")
... except ValueError as error:
...     print(str(error).partition("; ")[2])
did you mean 'champion'?
""",
    "Network": """
>>> network = mijnlieff.ChampionPolicy().model
>>> position = mijnlieff.Position()
>>> logits, values = network.evaluate(position.observation("flat")[None])
>>> logits.shape, values.shape
((1, 65), (1, 2))
""",
    "RandomPolicy": """
>>> mijnlieff.RandomPolicy(seed=1).act(mijnlieff.Position()) in range(64)
True
""",
    "GreedyPolicy": """
>>> mijnlieff.evaluate(mijnlieff.GreedyPolicy(), "random", games=100).score > 0.5
True
""",
    "MinimaxPolicy": """
>>> mijnlieff.evaluate(mijnlieff.MinimaxPolicy(4), "random", games=1000).score > 0.85
True
""",
    "PerfectPolicy": """
>>> position = mijnlieff.Position()
>>> mijnlieff.PerfectPolicy().act(position) in mijnlieff.solve(position).best_actions
True
""",
    "NetworkPolicy": """
>>> import numpy as np
>>> def logits_of(observations, masks):  # your network: (B, 56) and (B, 65) in, (B, 65) out
...     return np.zeros(masks.shape)
>>> player = mijnlieff.NetworkPolicy(logits_of, temperature=1.0)
>>> mijnlieff.evaluate(player, "random", games=20).games
20
""",
    "ChampionPolicy": """
>>> champion = mijnlieff.ChampionPolicy(search=64)
>>> position = mijnlieff.Position()
>>> champion.act(position) in mijnlieff.solve(position).best_actions
True
""",
    "solve_batch": """
>>> positions = mijnlieff.evaluation.random_openings(100, plies=8, seed=0)
>>> labels = mijnlieff.solve_batch(positions)
>>> labels.margins.shape, labels.policy_targets.shape
((100,), (100, 65))
""",
    "solving.Solution": """
>>> solution = mijnlieff.solve(mijnlieff.Position())
>>> solution.margin, solution.outcome
(-1, -1)
""",
    "solving.set_table_bytes": """
>>> mijnlieff.solving.set_table_bytes(1 << 26)  # 64 MiB for each variant
""",
    "Tablebase": """
>>> small = mijnlieff.Variant(mijnlieff.Board.from_text("###/###"), copies=1)
>>> table = mijnlieff.Tablebase.build("small.tablebase", small)
>>> mijnlieff.solve(mijnlieff.Position(small), tablebase=table).margin
0
""",
    "_mijnlieff.LeafBatch": """
>>> search = mijnlieff.TreeSearch(mijnlieff.evaluation.random_openings(4, plies=2), 8)
>>> leaves = search.select()
>>> len(leaves), leaves.observation.shape, leaves.action_mask.shape
(4, (4, 56), (4, 65))
""",
    "SelfPlay": """
>>> games = mijnlieff.SelfPlay(mijnlieff.ChampionPolicy(), num_simulations=4, seed=0)
>>> samples = games.play(5)
>>> samples.observations.shape[1:], samples.policy_targets.shape[1:]
((56,), (65,))
""",
    "self_play.SelfPlaySamples": """
>>> games = mijnlieff.SelfPlay(mijnlieff.ChampionPolicy(), num_simulations=4, seed=0)
>>> samples = games.play_samples(100)
>>> len(samples) >= 100, len(samples) == len(samples.margins)
(True, True)
""",
    "self_play.SelfPlayStatistics": """
>>> games = mijnlieff.SelfPlay(mijnlieff.ChampionPolicy(), num_simulations=4, seed=0)
>>> work = games.play(5).statistics
>>> work.games, work.simulations > work.searched_roots
(5, True)
""",
    "TreeSearch": """
>>> import numpy as np
>>> positions = mijnlieff.evaluation.random_openings(8, plies=4, seed=0)
>>> search = mijnlieff.TreeSearch(positions, 32)
>>> while (batch := search.select()) is not None:
...     logits = np.zeros(batch.action_mask.shape, np.float32)  # your network goes here
...     search.update(logits, np.zeros(len(batch), np.float32))
>>> search.policy_targets.shape, search.root_values.shape
((8, 65), (8,))
""",
    "SearchOptions": """
>>> options = mijnlieff.SearchOptions(64, root="puct")
>>> options.replace(num_simulations=16).num_simulations
16
""",
    "evaluate": """
>>> report = mijnlieff.evaluate("minimax:2", "greedy", games=200, seed=0)
>>> 0.6 < report.score < 0.9, report.games
(True, 200)
""",
    "evaluation.play_match": """
>>> openings = mijnlieff.evaluation.random_openings(10, plies=4, seed=0)
>>> margins = mijnlieff.evaluation.play_match(
...     openings, mijnlieff.GreedyPolicy(), mijnlieff.RandomPolicy()
... )
>>> margins.shape  # each opening as Light and as Dark
(10, 2)
""",
    "evaluation.ActionLosses": """
>>> import numpy as np
>>> positions = mijnlieff.evaluation.random_openings(4, plies=6, seed=0)
>>> losses = mijnlieff.evaluation.ActionLosses.of(
...     mijnlieff.PerfectPolicy(),
...     positions,
...     mijnlieff.solve_batch(positions).action_margins,
...     source=np.full(4, "drawn"),
...     board=np.zeros(4, np.int64),
... )
>>> losses.regret.tolist()
[0, 0, 0, 0]
""",
    "evaluation.random_openings": """
>>> openings = mijnlieff.evaluation.random_openings(3, plies=2, seed=0)
>>> [opening.ply for opening in openings]
[2, 2, 2]
""",
    "tournament": """
>>> players = {"random": "random", "greedy": "greedy", "deep": "minimax:3"}
>>> mijnlieff.tournament(players, games=40).names
('deep', 'greedy', 'random')
""",
    "policies.base.ActPolicy": """
>>> class Last:
...     def act(self, position):
...         return int(position.legal_actions()[-1])
>>> mijnlieff.evaluate(Last(), "random", games=2).games
2
""",
    "policies.base.BatchPolicy": """
>>> class First:
...     def act_batch(self, positions):
...         return [int(position.legal_actions()[0]) for position in positions]
>>> mijnlieff.evaluate(First(), "random", games=2).games
2
""",
    "policies.GamePolicy": """
>>> class EveryGameAnotherWay:
...     def act_games(self, positions, games):
...         drawn = [int(game) % len(it.legal_actions()) for it, game in zip(positions, games)]
...         return [int(it.legal_actions()[row]) for it, row in zip(positions, drawn)]
...
...     def act_batch(self, positions):
...         return self.act_games(positions, range(len(positions)))
...
...     def act(self, position):
...         return self.act_batch([position])[0]
>>> env = mijnlieff.VectorEnv(8, opponent=EveryGameAnotherWay())
""",
    "policies.BuiltinPolicy": """
>>> isinstance(mijnlieff.load_policy("greedy"), mijnlieff.policies.BuiltinPolicy)
True
""",
    "policies.Model": """
>>> isinstance(mijnlieff.ChampionPolicy().model, mijnlieff.policies.Model)
True
""",
    "policies.FunctionModel": """
>>> import numpy as np
>>> model = mijnlieff.policies.FunctionModel(lambda seen, masks: np.zeros(masks.shape))
>>> mijnlieff.NetworkPolicy(model).model is model
True
""",
    "evaluation.MatchReport": """
>>> report = mijnlieff.evaluate("greedy", "random", games=100)
>>> report.as_light.games, report.games, sorted(report.to_dict())[:3]
(50, 100, ['as_dark', 'as_light', 'elo'])
""",
    "evaluation.GradeReport": """
>>> report = mijnlieff.grade("minimax:2")
>>> report.by_seat["as Light"].optimal < report.by_ply[15].optimal
True
""",
    "evaluation.TournamentReport": """
>>> table = mijnlieff.tournament({"a": "random", "b": "greedy"}, games=100)
>>> table.standings[0].name, table.score("b", "a") > 0.5
('b', True)
""",
    "evaluation.Benchmark": """
>>> frozen = mijnlieff.benchmark("standard-v1")
>>> len(frozen), frozen.positions[0].ply, frozen.solutions.margins.shape
(5040, 4, (5040,))
""",
    "evaluation.ReviewedMove": """
>>> moves = mijnlieff.review(mijnlieff.parse_record("1. a1+, a3><; 2. a2+, a4<>"))
>>> [(move.name, move.loss) for move in moves]
[('a1+', 0), ('a3><', 1), ('a2+', 3), ('a4<>', 3)]
""",
    "evaluation.SeatRecord": """
>>> report = mijnlieff.evaluate("greedy", "random", games=100)
>>> report.as_light.games, report.as_light + report.as_dark == report.total
(50, True)
""",
    "evaluation.Standing": """
>>> table = mijnlieff.tournament({"a": "random", "b": "greedy"}, games=100)
>>> best = table.standings[0]
>>> best.name, best.elo_interval[0] < best.elo < best.elo_interval[1]
('b', True)
""",
    "evaluation.GradeRow": """
>>> row = mijnlieff.grade("greedy").by_ply[4]
>>> row.positions, f"{row.optimal:.1%}", f"{row.kept:.1%}"
(420, '26.0%', '25.7%')
""",
    "evaluation.BestResponse": """
>>> worst = mijnlieff.best_response("champion:64", seat="dark", horizon=5)
>>> worst.margin, worst.num_mistakes
(1, 0)
""",
    "evaluation.BestResponseCase": """
>>> worst = mijnlieff.best_response("greedy", seat="light", horizon=2)
>>> [(case.seat, case.value, case.margin) for case in worst.cases]
[('light', -1, -2)]
""",
    "solving.SolutionBatch": """
>>> solutions = mijnlieff.solve_batch(mijnlieff.evaluation.random_openings(3, plies=8))
>>> solutions.margins.shape, solutions.best_mask.shape
((3,), (3, 65))
""",
    "train.train": """
>>> from mijnlieff.train import Budget, TrainConfig, train
>>> config = TrainConfig.of("ppo", num_envs=16, measurements=1, measurement_games=2)
>>> state = train(config, Budget(steps=200), "runs/first", device="cpu", tensorboard=False)
>>> state.log[-1]["steps"] >= 200
True
>>> player = mijnlieff.load_policy("runs/first")
""",
    "train.TrainConfig": """
>>> config = mijnlieff.train.TrainConfig.of("alphazero", knowledge="pure", seed=3)
>>> config.num_simulations, config.solve_roots_below
(24, 0)
""",
    "train.Budget": """
>>> mijnlieff.train.Budget(minutes=10)
Budget(minutes=10, steps=None, games=None)
""",
    "train.TrainState": """
>>> def report(state):
...     print(f"{state.spent:.0%}", state.log[-1]["games_per_second"])
""",
    "train.Boards": """
>>> boards = mijnlieff.train.Boards.split("arrangements:4", holdout=0.2)
>>> len(boards.seen), len(boards.unseen)
(48, 12)
""",
    "Widget": """
>>> widget = mijnlieff.Widget(opponent="greedy")
""",
}
"""An example for each name, as a user would type it."""


def add_example(
    app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Put the example of a name below its docstring."""
    example = EXAMPLES.get(name.removeprefix("mijnlieff."))
    if example is not None:
        lines += ["", ".. rubric:: Example", "", ">>> import mijnlieff"]
        lines += example.strip().splitlines()


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the examples after the other extensions have read the docstrings."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", add_example, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
