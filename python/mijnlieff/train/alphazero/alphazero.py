"""AlphaZero: learns from tree search (Silver et al. 2017, arXiv:1712.01815).

The roots of the searches follow Danihelka et al. 2022 ("Policy improvement by planning with
Gumbel"). Self-play and learning run at the same time: while a round is played with the weights of
its start, in native code on the CPU, the network learns from the rounds before. Neither depends on
the speed of the other, so runs repeat.
"""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass

import torch
from torch import Tensor

from mijnlieff._mijnlieff import MARGIN_UNIT
from mijnlieff.train.alphazero.losses import losses_of
from mijnlieff.train.alphazero.replay import Replay
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import CellNetwork, check_finite
from mijnlieff.train.network.graph import Graph
from mijnlieff.train.network.optimizer import Optimizer
from mijnlieff.train.play.samples import SearchGames
from mijnlieff.train.source import GameSource

__all__ = ["AlphaZero", "SearchLosses"]


@dataclass(frozen=True, slots=True)
class SearchLosses:
    """Means over the gradient steps of one round; NaN in a round without any, as the first.

    Attributes:
        policy_loss: Kullback-Leibler divergence KL(search policy || network policy), in nats.
        value_loss: mean squared error of the expected outcome.
        margin_loss: mean squared error of the expected margin, in units of `MARGIN_UNIT` points.
        regret_loss: the same of how much worse each action is than the best, where that is known.
        entropy: entropy of the search's policy, in nats.
        grad_norm: norm of the gradient before clipping.
        replay: positions in the replay buffer.
        samples: positions of the round's games.
        solved: of these, positions whose policy and margin the solver found.
        simulations: simulations of all searches in the round.
        evaluations: positions that the network evaluated in the searches.
        play_seconds: wall time of self-play.
        learn_seconds: wall time of the gradient steps, which run in parallel to self-play.
    """

    policy_loss: float
    value_loss: float
    margin_loss: float
    regret_loss: float
    entropy: float
    grad_norm: float
    replay: int
    samples: int = 0
    solved: int = 0
    simulations: int = 0
    evaluations: int = 0
    play_seconds: float = 0.0
    learn_seconds: float = 0.0


class AlphaZero:
    """A network, its optimizer and replay buffer, and the source of its games.

    Attributes:
        optimizer: the optimizer of the weights.
    """

    def __init__(
        self,
        network: CellNetwork,
        replay: Replay,
        config: TrainConfig,
        generator: torch.Generator,
        source: GameSource[SearchGames],
    ) -> None:
        """Set up the optimizer.

        Args:
            network: the network to train.
            replay: an empty buffer for the positions.
            config: the settings.
            generator: generator for everything random.
            source: plays the games.
        """
        self.network = network
        # Graphs are for NVIDIA's GPUs. On a canvas, the network asks how many cells there are.
        as_graph = network.device.type == "cuda" and network.canvas is None
        self.optimizer = Optimizer(network, config, as_graph=as_graph)
        self._config = config
        self._generator = generator
        self._source = source
        self._replay = replay
        self._due = 0.0
        """The steps that the positions so far are worth, less those that were taken."""
        self._gradients = Graph(self._set_gradients) if as_graph else self._set_gradients

    def round(self, spent: float, number: int) -> tuple[SearchLosses, int, int]:
        """Play a round and, at the same time, learn from the earlier ones.

        Args:
            spent: the spent share of the budget, 0 to 1, for the learning rate.
            number: the rounds of the run before this one.

        Returns:
            The losses, the actions played and the games finished.

        Raises:
            FloatingPointError: a loss or a gradient is not finite; the step was not taken, so the
                weights are unchanged.
            CheckpointError: a weight is not finite.
            PolicyError: an evaluation by the network is not finite.
        """
        try:
            self._source.begin(self.network, number)
            began = time.monotonic()
            losses = self._learn(spent)
            learn_seconds = time.monotonic() - began
            games = self._source.collect()
        except BaseException:  # also Ctrl-C, in any of them
            self._source.close()
            raise
        self._replay.extend(games.samples)
        self._due += len(games.samples) * self._config.reuse / self._config.minibatch_size
        losses = dataclasses.replace(
            losses,
            samples=len(games.samples),
            solved=games.solved,
            simulations=games.simulations,
            evaluations=games.evaluations,
            play_seconds=round(games.seconds, 3),
            learn_seconds=round(learn_seconds, 3),
        )
        return losses, games.steps, games.games

    def _learn(self, spent: float) -> SearchLosses:
        config = self._config
        rate = config.learning_rate * (1.0 - 0.98 * spent)
        steps = int(self._due)
        self._due -= steps  # the rest waits for more positions, however few a round has
        if not steps:
            nan = float("nan")
            return SearchLosses(nan, nan, nan, nan, nan, nan, len(self._replay))
        sums = torch.zeros(6, device=self.network.device)
        for _ in range(steps):
            sums += self.step(self._replay.draw(config.minibatch_size, self._generator), rate)
        policy, value, margin, regret, entropy, norm = (sums / steps).tolist()
        return SearchLosses(policy, value, margin, regret, entropy, norm, len(self._replay))

    def step(self, batch: tuple[Tensor, ...], rate: float) -> Tensor:
        """Learn from a minibatch.

        Args:
            batch: as `Replay.draw` returns it, of the same size in every call.
            rate: the learning rate.

        Returns:
            Policy, value, margin and regret loss, entropy and gradient norm, float32 `(6,)`.

        Raises:
            FloatingPointError: a loss or a gradient is not finite; the step was not taken.
        """
        found = self._gradients(*(part.to(self.network.device) for part in batch))
        check_finite(*found[-2:])
        shown = found[:-1].clone()
        self.optimizer.step(rate)
        return shown

    def _set_gradients(
        self,
        observations: Tensor,
        masks: Tensor,
        policies: Tensor,
        results: Tensor,
        regrets: Tensor,
    ) -> Tensor:
        """Set the gradients; return what `step` does, and the loss behind it."""
        config = self._config
        policies = policies / policies.sum(dim=1, keepdim=True)
        entropy = -torch.special.xlogy(policies, policies).sum(dim=1).mean()
        values = torch.stack([results[:, 0], results[:, 1] / MARGIN_UNIT], dim=1)
        by_policy, by_value, regret_error = losses_of(
            self.network, config.precision, observations, masks, policies, values, regrets
        )
        policy_loss, value_losses = by_policy.mean(), by_value.mean(dim=0)
        loss = policy_loss + config.value_weight * value_losses.sum()
        loss = loss + config.regret_weight * regret_error
        norm = self.network.set_gradients(loss, config.max_grad_norm)
        divergence = policy_loss - entropy
        parts = (divergence, *value_losses, regret_error, entropy, norm, loss)
        return torch.stack([part.detach() for part in parts])
