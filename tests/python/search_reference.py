"""A plain tree search, one position at a time, to compare the native one with."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from mijnlieff import Position


def margin_for(position, side):
    """The margin of a finished game, for one side."""
    return position.margin if side == 0 else -position.margin


@dataclass
class Node:
    """A position, its network evaluation and what was found below it."""

    position: Position
    value: float
    logits: dict[int, float] = field(default_factory=dict)
    priors: dict[int, float] = field(default_factory=dict)
    visits: dict[int, int] = field(default_factory=dict)
    sums: dict[int, float] = field(default_factory=dict)
    children: dict[int, Node] = field(default_factory=dict)


class ReferenceSearch:
    """One tree, searched as the papers say, in double precision."""

    def __init__(
        self,
        network,
        *,
        root,
        simulations,
        noise=None,
        c_puct=1.5,
        considered=16,
        c_visit=50.0,
        c_scale=0.5,
        margin_weight=0.0,
    ):
        self.network = network
        self.root_rule = root
        self.simulations = simulations
        self.noise = noise
        self.c_puct = c_puct
        self.considered = considered
        self.c_visit = c_visit
        self.c_scale = c_scale
        self.margin_weight = margin_weight

    def worth(self, margin):
        outcome = (margin > 0) - (margin < 0)
        share = max(-1.0, min(1.0, margin / 8))
        return (1 - self.margin_weight) * outcome + self.margin_weight * share

    def evaluated(self, position):
        logits, value = self.network(position)
        node = Node(position, value)
        legal = position.legal_actions().tolist()
        largest = max(logits[action] for action in legal)
        total = sum(math.exp(logits[action] - largest) for action in legal)
        for action in legal:
            node.logits[action] = logits[action] - largest
            node.priors[action] = math.exp(logits[action] - largest) / total
            node.visits[action] = 0
            node.sums[action] = 0.0
        return node

    def run(self, position):
        root = self.evaluated(position)
        for simulation in range(self.simulations):
            path = []
            node = root
            while True:
                action = self.choose_root(node, simulation) if node is root else self.choose(node)
                path.append((node, action))
                if action not in node.children:
                    child = node.position.play(action)
                    while not child.is_over and child.legal_actions().tolist() == [
                        child.variant.pass_action
                    ]:
                        child = child.play(child.variant.pass_action)
                    if child.is_over:
                        worth = self.worth(margin_for(child, child.to_play))
                        node.children[action] = Node(child, worth)
                    else:
                        node.children[action] = self.evaluated(child)
                    leaf = node.children[action]
                    break
                node = node.children[action]
                if node.position.is_over:
                    leaf = node
                    break
            for above, action in path:
                same = above.position.to_play == leaf.position.to_play
                above.visits[action] += 1
                above.sums[action] += leaf.value if same else -leaf.value
        return root

    def mean(self, node, action):
        return node.sums[action] / node.visits[action]

    def choose_root(self, node, simulation):
        if self.root_rule == "puct":
            return self.puct(node, self.noise or node.priors)
        sequence = considered_visits(min(self.considered, len(node.visits)), self.simulations)
        improved = self.improved(node)
        scores = {
            action: improved[action] + (self.noise or {}).get(action, 0.0)
            for action in node.visits
            if node.visits[action] == sequence[simulation]
        }
        return max(scores, key=scores.get)

    def choose(self, node):
        if self.root_rule == "puct":
            return self.puct(node, node.priors)
        shares = softmax(self.improved(node))
        total = sum(node.visits.values())
        scores = {a: shares[a] - node.visits[a] / (1 + total) for a in shares}
        return max(scores, key=scores.get)

    def puct(self, node, priors):
        total = sum(node.visits.values())
        unknown = (node.value + sum(node.sums.values())) / (1 + total)
        scores = {}
        for action, visits in node.visits.items():
            value = self.mean(node, action) if visits else unknown
            bonus = self.c_puct * math.sqrt(1 + total) * priors[action] / (1 + visits)
            scores[action] = value + bonus
        return max(scores, key=scores.get)

    def improved(self, node):
        total = sum(node.visits.values())
        tried = [action for action, visits in node.visits.items() if visits]
        mixed = node.value
        if tried:
            weight = sum(node.priors[a] for a in tried)
            mean = sum(node.priors[a] * self.mean(node, a) for a in tried) / weight
            mixed = (node.value + total * mean) / (1 + total)
        scale = (self.c_visit + max(node.visits.values())) * self.c_scale
        return {
            action: node.logits[action] + scale * (self.mean(node, action) if visits else mixed)
            for action, visits in node.visits.items()
        }


def softmax(numbers):
    """Of a dict's values."""
    largest = max(numbers.values())
    powers = {key: math.exp(number - largest) for key, number in numbers.items()}
    total = sum(powers.values())
    return {key: power / total for key, power in powers.items()}


def considered_visits(considered, simulations):
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


def noisy_network(position):
    """Logits and a value that depend on the observation in an arbitrary, smooth-free way."""
    numbers = position.observation("flat", dtype="uint8").astype(np.uint64)
    seed = int((numbers * np.arange(1, len(numbers) + 1, dtype=np.uint64) ** 2).sum())
    generator = np.random.default_rng(seed)
    logits = generator.normal(size=position.variant.num_actions).astype(np.float32)
    return logits, float(np.float32(np.tanh(generator.normal())))
