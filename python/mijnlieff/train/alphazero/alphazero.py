"""Learning from tree search (Silver et al. 2017, "Mastering chess and shogi by self-play").

Gumbel roots as in Danihelka et al. 2022. Self-play and learning run at the same time in two
threads: while the games of a round are played with the weights of its start, the network learns
from the rounds before. Both work without the GIL most of the time, and neither looks at the other,
so that a run does not depend on how fast they are.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from mijnlieff import Variant
from mijnlieff._mijnlieff import MARGIN_UNIT
from mijnlieff.train.alphazero.replay import ReplayBuffer
from mijnlieff.train.alphazero.search_play import SearchGames, evaluator, play_with_search
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import PolicyValueNetwork, masked_log_softmax

__all__ = ["AlphaZero", "SearchLosses"]


@dataclass(frozen=True, slots=True)
class SearchLosses:
    """Means over the gradient steps of one round; NaN in the first, which only plays.

    Attributes:
        policy_loss: Kullback-Leibler divergence of the policy from the search's, nats.
        value_loss: mean squared error of the expected outcome.
        margin_loss: mean squared error of the expected margin, in units of `MARGIN_UNIT` points.
        entropy: of the search's policy, nats.
        grad_norm: before it is limited.
        replay: positions in the replay buffer.
        simulations: of the searches of the round.
        play_seconds: wall time that the games took.
        learn_seconds: wall time that the gradient steps took, in a thread beside.
    """

    policy_loss: float
    value_loss: float
    margin_loss: float
    entropy: float
    grad_norm: float
    replay: int
    simulations: int = 0
    play_seconds: float = 0.0
    learn_seconds: float = 0.0


class AlphaZero:
    """A network, its optimiser, its self-play and its replay buffer.

    Attributes:
        optimizer: AdamW over the weights.
    """

    def __init__(
        self,
        network: PolicyValueNetwork,
        variant: Variant,
        config: TrainConfig,
        generator: torch.Generator,
    ) -> None:
        """Set up the optimiser and an empty buffer.

        Args:
            network: what is trained.
            variant: the game.
            config: the settings.
            generator: source of all randomness.
        """
        self.network = network
        self.optimizer = torch.optim.AdamW(
            network.parameters(),
            lr=config.learning_rate,
            weight_decay=config.weight_decay,
            fused=True,
        )
        self._variant = variant
        self._config = config
        self._generator = generator
        self._replay = ReplayBuffer(variant, config.replay_positions)
        self._new = 0

    def close(self) -> None:
        """Nothing is held open."""

    def round(self, spent: float) -> tuple[SearchLosses, int, int]:
        """Play a round, and meanwhile learn from those before.

        Args:
            spent: share of the budget that is spent, 0 to 1; steers the learning rate.

        Returns:
            The losses, the actions played and the games finished.

        Raises:
            FloatingPointError: a loss or a gradient is not finite; the step that would have spoilt
                the weights was not taken.
        """
        config = self._config
        seed = int(torch.randint(2**62, (), generator=self._generator))
        evaluate = evaluator(self.network, config.margin_weight)
        stop = threading.Event()
        played: list[SearchGames] = []
        failed: list[BaseException] = []

        def play() -> None:
            try:
                played.append(play_with_search(evaluate, self._variant, config, seed, stop.is_set))
            except BaseException as error:  # handed to the thread that waits for the games
                failed.append(error)

        player = threading.Thread(target=play, name="mijnlieff-self-play")
        player.start()
        began = time.monotonic()
        try:
            losses = self._learn(spent)
            learn_seconds = time.monotonic() - began
        except BaseException:
            stop.set()
            raise
        finally:
            player.join()
        if failed:
            raise failed[0]
        games = played[0]
        self._replay.extend(games.samples)
        self._new = len(games.samples)
        losses = dataclasses.replace(
            losses,
            simulations=games.simulations,
            play_seconds=round(games.seconds, 3),
            learn_seconds=round(learn_seconds, 3),
        )
        return losses, games.steps, games.games

    def _learn(self, spent: float) -> SearchLosses:
        config = self._config
        for group in self.optimizer.param_groups:
            group["lr"] = config.learning_rate * (1.0 - 0.98 * spent)
        steps = round(self._new * config.reuse / config.minibatch_size)
        if not steps:
            nan = float("nan")
            return SearchLosses(nan, nan, nan, nan, nan, len(self._replay))
        sums = torch.zeros(5, device=self.network.device)
        for _ in range(steps):
            sums += self._step(self._replay.draw(config.minibatch_size, self._generator))
        policy, value, margin, entropy, norm = (sums / steps).tolist()
        return SearchLosses(policy, value, margin, entropy, norm, len(self._replay))

    def _step(self, batch: tuple[Tensor, Tensor, Tensor, Tensor]) -> Tensor:
        config = self._config
        device = self.network.device
        observations, masks, policies, results = (part.to(device) for part in batch)
        logits, values = self.network(self.network.from_counts(observations))
        log_probs = masked_log_softmax(logits, masks)
        policies = policies / policies.sum(dim=1, keepdim=True)
        entropy = -torch.special.xlogy(policies, policies).sum(dim=1).mean()
        policy_loss = -(policies * log_probs).sum(dim=1).mean()
        targets = torch.stack([results[:, 0], results[:, 1] / MARGIN_UNIT], dim=1)
        value_losses = (values - targets).square().mean(dim=0)
        loss = policy_loss + config.value_weight * value_losses.sum()
        self.optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), config.max_grad_norm)
        if not bool(torch.isfinite(loss) & torch.isfinite(norm)):
            raise FloatingPointError(f"loss {loss.item()}, gradient norm {norm.item()}")
        self.optimizer.step()
        parts = (policy_loss - entropy, value_losses[0], value_losses[1], entropy, norm)
        return torch.stack([part.detach() for part in parts])
