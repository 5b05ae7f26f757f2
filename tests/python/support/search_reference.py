"""A plain tree search, one position at a time, to compare the native one with.

It follows the papers and the documentation of `TreeSearch`, in double precision. The noise at a
root is an input, so it does not matter how it is drawn. The only draw that is modeled here is the
choice of the action to play, in `last_draw` and its callers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache

from mijnlieff import Position
from vector_model import Stream

Network = Callable[[Position], tuple[Sequence[float], float]]


@dataclass
class Node:
    """A position, its network evaluation and what was found below it."""

    position: Position
    value: float
    """For the side to move: of the network, or exact if there are no logits."""
    logits: dict[int, float] = field(default_factory=dict)
    priors: dict[int, float] = field(default_factory=dict)
    visits: dict[int, int] = field(default_factory=dict)
    sums: dict[int, float] = field(default_factory=dict)
    children: dict[int, Node] = field(default_factory=dict)
    before: dict[int, int] = field(default_factory=dict)
    """For a root: visits before the current search."""
    is_evaluated: bool = True
    """Whether the network has evaluated it; it does not evaluate forced passes at a root."""

    def mean(self, action: int) -> float:
        return self.sums[action] / self.visits[action]

    def count(self) -> int:
        return sum(self.visits.values())

    def new_visits(self) -> dict[int, int]:
        return {action: self.visits[action] - self.before.get(action, 0) for action in self.visits}


@dataclass
class Conclusion:
    """The results of a search."""

    policy: dict[int, float]
    """The policy to learn, of every legal action."""
    value: float
    """For the side to move."""
    draw: Callable[[Stream], set[int]]
    """The actions that may be chosen: several only where rounding decides."""


class ReferenceSearch:
    """One tree, searched as the papers say, in double precision."""

    def __init__(
        self,
        network: Network,
        *,
        root: str = "gumbel",
        simulations: int = 64,
        c_puct: float = 1.5,
        temperature: float = 1.0,
        considered: int = 16,
        c_visit: float = 50.0,
        c_scale: float = 0.5,
        backup: str = "mean",
        margin_weight: float = 0.5,
        solve_roots_below: int = 0,
        solve_leaves_below: int = 0,
    ) -> None:
        assert root in ("gumbel", "puct")
        assert backup in ("mean", "policy")
        self.network = network
        self.root_rule = root
        self.simulations = simulations
        self.c_puct = c_puct
        self.temperature = temperature
        self.considered = considered
        self.c_visit = c_visit
        self.c_scale = c_scale
        self.is_by_policy = backup == "policy" and root == "gumbel"
        self.margin_weight = margin_weight
        self.solve_roots_below = solve_roots_below
        self.solve_leaves_below = solve_leaves_below
        self.closest = math.inf
        """The smallest lead of a best score; float32 may not resolve a very small one."""

    def worth(self, margin: int) -> float:
        return worth(margin, self.margin_weight)

    def leaf(self, position: Position) -> Node:
        if position.is_over or is_solved(position, self.solve_leaves_below):
            return self.solved(position)
        return self.evaluated(position)

    def solved(self, position: Position) -> Node:
        return Node(position, self.worth(exact_margin(position)))

    def evaluated(self, position: Position) -> Node:
        logits, value = self.network(position)
        legal = position.legal_actions().tolist()
        largest = max(float(logits[action]) for action in legal)
        return with_logits(position, value, {a: float(logits[a]) - largest for a in legal})

    def root(self, position: Position) -> Node:
        """The root of a new tree; one that has been solved has no logits."""
        if is_solved(position, self.solve_roots_below):
            return self.solved(position)
        if must_pass(position):
            node = with_logits(position, 0.0, {position.variant.pass_action: 0.0})
            node.is_evaluated = False
            return node
        return self.evaluated(position)

    def next_root(self, root: Node, position: Position) -> Node:
        """The root of the next search, kept if the tree knows its position."""
        children = [root.children[action] for action in sorted(root.children)]
        for node in (root, *children):
            if node.logits and node.position == position:
                node.before = dict(node.visits)
                return node
        return self.root(position)

    def run(self, root: Node, noise: dict[int, float]) -> None:
        """Simulate; the noise is the root's policy (PUCT) or added to its logits (Gumbel)."""
        for simulation in range(self.simulations if root.logits else 0):
            path = []
            node = root
            while node.logits:
                at_root = node is root
                action = self.at_root(node, simulation, noise) if at_root else self.below(node)
                path.append((node, action))
                if action not in node.children:
                    node.children[action] = self.leaf(after(node.position, action))
                    node = node.children[action]
                    break
                node = node.children[action]
            for above, action in reversed(path):
                above.visits[action] += 1
                if self.is_by_policy:
                    value = self.value_for(above, above.children[action])
                    above.sums[action] = above.visits[action] * value
                else:
                    above.sums[action] += self.value_for(above, node)

    def at_root(self, node: Node, simulation: int, noise: dict[int, float]) -> int:
        if self.root_rule == "puct":
            return self.best(self.bounds(node, noise))
        possible = sum(logit > -math.inf for logit in node.logits.values())
        sequence = considered_visits(min(self.considered, possible), self.simulations)
        return self.best(self.noisy(node, noise, sequence[simulation]))

    def below(self, node: Node) -> int:
        if self.root_rule == "puct":
            return self.best(self.bounds(node, node.priors))
        shares = softmax(self.improved(node))
        return self.best({a: shares[a] - node.visits[a] / (1 + node.count()) for a in shares})

    def best(self, scores: dict[int, float]) -> int:
        """The action with the largest score, the first of equal ones."""
        action = max(scores, key=scores.__getitem__)
        others = [score for score in scores.values() if score != scores[action]]
        self.closest = min([self.closest, *(scores[action] - score for score in others)])
        return action

    def bounds(self, node: Node, priors: dict[int, float]) -> dict[int, float]:
        total = node.count()
        unknown = (node.value + sum(node.sums.values())) / (1 + total)
        scores = {}
        for action, visits in node.visits.items():
            if node.logits[action] == -math.inf:
                continue
            value = node.mean(action) if visits else unknown
            bonus = self.c_puct * math.sqrt(1 + total) * priors[action] / (1 + visits)
            scores[action] = value + bonus
        return scores

    def noisy(self, node: Node, noise: dict[int, float], due: int) -> dict[int, float]:
        """Scores of the actions with this many visits in this search."""
        improved, visits = self.improved(node), node.new_visits()
        return {a: improved[a] + noise[a] for a in improved if visits[a] == due}

    def improved(self, node: Node) -> dict[int, float]:
        total = node.count()
        tried = [action for action, visits in node.visits.items() if visits]
        mixed = node.value
        if tried and (weight := sum(node.priors[a] for a in tried)):
            mean = sum(node.priors[a] * node.mean(a) for a in tried) / weight
            mixed = (node.value + total * mean) / (1 + total)
        scale = (self.c_visit + max(node.visits.values())) * self.c_scale
        return {
            action: node.logits[action] + scale * (node.mean(action) if visits else mixed)
            for action, visits in node.visits.items()
        }

    def value_for(self, above: Node, node: Node) -> float:
        """The value of a node for the side to move at another one."""
        same = above.position.to_play == node.position.to_play
        return self.value(node) if same else -self.value(node)

    def value(self, node: Node) -> float:
        """The value of a node after the simulations through it, for its side to move."""
        total = node.count()
        found = sum(node.sums.values())
        if self.is_by_policy and total:
            improved = self.improved(node)
            shares = softmax({a: improved[a] for a, visits in node.visits.items() if visits})
            found = total * sum(share * node.mean(a) for a, share in shares.items())
        return (node.value + found) / (1 + total) if node.is_evaluated else found / total

    def conclude(self, root: Node, noise: dict[int, float]) -> Conclusion:
        if not root.logits:
            return self.conclude_solved(root.position)
        value = self.value(root)
        if self.root_rule == "gumbel":
            chosen = self.best(self.noisy(root, noise, max(root.new_visits().values())))
            return Conclusion(softmax(self.improved(root)), value, lambda _: {chosen})
        policy = {action: visits / root.count() for action, visits in root.visits.items()}
        if self.temperature > 0:
            return Conclusion(policy, value, lambda stream: self.drawn(policy, stream.unit()))
        most = [a for a, visits in root.visits.items() if visits == max(root.visits.values())]
        chosen = self.best({action: root.mean(action) for action in most})
        return Conclusion(policy, value, lambda _: {chosen})

    def conclude_solved(self, position: Position) -> Conclusion:
        values = {a: self.action_value(position, a) for a in position.legal_actions().tolist()}
        best = [action for action, value in values.items() if value == max(values.values())]
        policy = {action: (action in best) / len(best) for action in values}
        return Conclusion(
            policy, max(values.values()), lambda stream: {best[stream.below(len(best))]}
        )

    def action_value(self, position: Position, action: int) -> float:
        return self.worth(-exact_margin(position.play(action)))

    def drawn(self, policy: dict[int, float], unit: float) -> set[int]:
        """The action whose share of the visits to the power of 1 over the temperature is met."""
        largest = max(policy.values())
        weights = {a: (share / largest) ** (1 / self.temperature) for a, share in policy.items()}
        sums, total = {}, 0.0
        for action, weight in weights.items():
            total += weight
            sums[action] = total
        met = set()
        for near in (unit - 1e-6, unit, unit + 1e-6):
            reached = (a for a in weights if weights[a] > 0 and sums[a] >= near * total)
            met.add(next(reached, max(weights, key=weights.__getitem__)))
        return met


def with_logits(position: Position, value: float, logits: dict[int, float]) -> Node:
    """A node without visits."""
    zeros = dict.fromkeys(logits, 0)
    return Node(position, value, logits, softmax(logits), zeros, {a: 0.0 for a in logits})


def must_pass(position: Position) -> bool:
    return position.legal_actions().tolist() == [position.variant.pass_action]


def after(position: Position, action: int) -> Position:
    """The position after an action and the passes that it forces."""
    position = position.play(action)
    while not position.is_over and must_pass(position):
        position = position.play(position.variant.pass_action)
    return position


def is_solved(position: Position, below: int) -> bool:
    return below > 0 and (position.stones == 0).sum() <= below


def worth(margin: int, margin_weight: float) -> float:
    """What a game that ends with a margin is worth."""
    outcome = (margin > 0) - (margin < 0)
    share = max(-1.0, min(1.0, margin / 8))
    return (1 - margin_weight) * outcome + margin_weight * share


def random_games_network(stream: Stream, margin_weight: float) -> Network:
    """Equal logits, and what a game of random actions pays the side to move."""

    def network(position: Position) -> tuple[list[float], float]:
        end = position
        while not end.is_over:
            actions = end.legal_actions().tolist()
            end = end.play(actions[stream.below(len(actions))])
        margin = end.margin if position.to_play == 0 else -end.margin
        return [0.0] * position.variant.num_actions, worth(margin, margin_weight)

    return network


@cache
def exact_margin(position: Position) -> int:
    """The margin for the side to move with perfect play, by full minimax."""
    if position.is_over:
        return position.margin if position.to_play == 0 else -position.margin
    actions = position.legal_actions().tolist()
    return max(-exact_margin(position.play(action)) for action in actions)


def softmax(numbers: dict[int, float]) -> dict[int, float]:
    """Of a dict's values."""
    largest = max(numbers.values())
    powers = {key: math.exp(number - largest) for key, number in numbers.items()}
    total = sum(powers.values())
    return {key: power / total for key, power in powers.items()}


@cache
def considered_visits(considered: int, simulations: int) -> list[int]:
    """Sequential halving, a phase at a time."""
    if considered == 1:
        return list(range(simulations))
    phases = math.ceil(math.log2(considered))
    visits = [0] * considered
    sequence = []
    while len(sequence) < simulations:
        for _ in range(max(1, simulations // (phases * considered))):
            sequence += visits[:considered]
            visits[:considered] = [count + 1 for count in visits[:considered]]
        considered = max(2, considered // 2)
    return sequence[:simulations]


#: Tells the streams of trees from those of environments with the same seed.
TREE_STREAM = int.from_bytes(b"tree", "big")


def tree_stream(seed: int) -> Stream:
    """The stream of a tree: first a word for the last draw of its first search, then its noise."""
    return Stream(seed, TREE_STREAM)


def last_draw(stream: Stream) -> Stream:
    """The stream of the last draw of a search, before which its tree's stream has this state."""
    return Stream.from_state(stream.word())
