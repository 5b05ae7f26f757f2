"""Players as RLlib modules, and RLlib modules as players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from gymnasium.spaces import Dict
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModule
from ray.rllib.core.rl_module.rl_module import RLModule

from mijnlieff._mijnlieff import as_variant, to_positions
from mijnlieff._util.arguments import seed_of
from mijnlieff.errors import PolicyError
from mijnlieff.integrations._models import model_of
from mijnlieff.policies.base import act_checked
from mijnlieff.policies.load import load_policy
from mijnlieff.policies.network import NetworkPolicy

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from mijnlieff._mijnlieff import Canvas

__all__ = ["PolicyRLModule", "RLModulePolicy", "RandomMaskedRLModule"]


class _FixedRLModule(RLModule):
    """A module that acts and is never trained."""

    framework = "torch"  # where RLlib makes tensors; it fails without one

    #: The entry of the observations that actions are chosen from.
    needs = ""

    def setup(self) -> None:
        """Check the observation space and read the settings."""
        space = self.observation_space
        if not isinstance(space, Dict) or self.needs not in space.spaces:
            raise ValueError(
                f"{type(self).__name__} needs observations with the entry {self.needs!r}, not "
                f"{space}; {self._remedy()}"
            )
        # Without settings a module is given those of the whole algorithm, as an object.
        self._settings = self.model_config if isinstance(self.model_config, dict) else {}

    def _remedy(self) -> str:
        return "use MijnlieffMultiAgentEnv or MaskedEnv"

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return {Columns.ACTIONS: self._choose(_array(batch[Columns.OBS][self.needs]))}

    def _choose(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        raise NotImplementedError

    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        raise NotImplementedError(
            f"{type(self).__name__} cannot be trained; leave it out of policies_to_train"
        )

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing; RLlib calls it as it does for modules of PyTorch."""

    def to(self, device: Any) -> Self:
        """Stay where it is; RLlib calls it as it does for modules of PyTorch."""
        return self


class RandomMaskedRLModule(_FixedRLModule):
    """A module that plays a random legal action; RLlib's ``RandomRLModule`` ignores masks.

    It works with any environment that has ``"action_mask"`` in its observations. Leave it out of
    ``policies_to_train``. The ``model_config`` of its ``RLModuleSpec`` may have ``"seed"``; without
    one the actions differ from run to run.
    """

    needs = "action_mask"

    def setup(self) -> None:
        """Make the random generator."""
        super().setup()
        seed = self._settings.get("seed")
        self._generator = np.random.default_rng(None if seed is None else seed_of(seed))

    def _choose(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        # The largest of equally distributed numbers is each legal action equally often.
        numbers: NDArray[np.float64] = self._generator.random(rows.shape)
        chosen: NDArray[np.int64] = np.where(rows > 0, numbers, -1.0).argmax(axis=1)
        return chosen


class PolicyRLModule(_FixedRLModule):
    """A module that plays as a policy of this package does: a built-in player, or any `Policy`.

    The environment is a `MijnlieffMultiAgentEnv` with ``state_bytes=True``, since a policy needs
    the whole position, and an observation is only a part of it. RLlib does not tell a module the
    games of the observations, so a policy that draws does so in the order in which it is asked.
    Leave the module out of ``policies_to_train``. The ``model_config`` of its ``RLModuleSpec`` has

    - ``"policy"``: a name for `load_policy` such as ``"minimax:2"``, or a policy that can be
      pickled;
    - ``"variant"``: that of the environment; the standard game unless given;
    - ``"seed"``: of a policy made from a name; from the system's entropy unless given.

    Raises:
        ValueError: ``"policy"`` is missing or unknown, the observations have no
            ``"state_bytes"``, or the variant does not fit the action space.
        TypeError: ``"policy"`` is not a policy, or ``"variant"`` not a variant.
    """

    needs = "state_bytes"

    def setup(self) -> None:
        """Make the policy."""
        super().setup()
        if "policy" not in self._settings:
            raise ValueError(
                "PolicyRLModule needs a policy: RLModuleSpec(module_class=PolicyRLModule, "
                "model_config={'policy': 'minimax:2'})"
            )
        self.variant = as_variant(self._settings.get("variant"), "model_config['variant']")
        if self.action_space.n != self.variant.num_actions:
            raise ValueError(
                f"the environment has {self.action_space.n} actions and the variant "
                f"{self.variant.num_actions}; give the environment's in model_config['variant']"
            )
        seed = self._settings.get("seed")
        if seed is None:
            seed = int(np.random.default_rng().integers(2**63))
        self.policy = load_policy(self._settings["policy"], seed=seed)

    def _remedy(self) -> str:
        return "use MijnlieffMultiAgentEnv with env_config={'state_bytes': True}"

    def _choose(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        words = np.ascontiguousarray(rows, np.uint8).view("<u8")
        states = words[:, 0] if words.shape[1] == 1 else words
        return act_checked(self.policy, to_positions(states, self.variant))


class RLModulePolicy(NetworkPolicy):
    """A trained RLlib module as a `Policy`, for `evaluate`, `grade` and the rest of the package.

    The policy calls the module's ``forward_inference``, on the device of its weights. The module's
    observation space decides what it gets: flat observations or planes, with or without the mask.

    Args:
        module: a module for one agent, such as ``algorithm.get_module("main")``, whose
            ``forward_inference`` returns logits (``"action_dist_inputs"``).
        temperature: 0 plays the most likely action; above 0, actions are drawn with probabilities
            ``softmax(logits / temperature)``.
        seed: of the random draws, 0 to 2**64 - 1.
        batch_size: the most positions passed to the module at once.
        canvas: the `VectorEnv.canvas` of an environment with ``variants`` or a canvas.

    Raises:
        TypeError: `module` is not a module for one agent, or one that this package made from a
            policy.
        ValueError: its observation space is not one of the environments here, it keeps a state
            between moves, or a setting is out of range.
    """

    def __init__(
        self,
        module: RLModule,
        temperature: float = 0.0,
        seed: int = 0,
        batch_size: int = 4096,
        canvas: Canvas | None = None,
    ) -> None:
        """Check the module."""
        if isinstance(module, MultiRLModule):
            raise TypeError(f"give one of the modules {list(module.keys())}, not all of them")
        if not isinstance(module, RLModule):
            raise TypeError(f"module must be an RLModule, not {module!r}")
        if isinstance(module, _FixedRLModule):
            raise TypeError(f"{type(module).__name__} has no logits; evaluate its policy instead")
        if module.is_stateful():
            raise ValueError("a module that keeps a state between moves cannot be a policy")
        self.module = module
        seen = module.observation_space
        seen = seen.spaces.get("observations") if isinstance(seen, Dict) else seen
        super().__init__(
            model_of(self._forward, seen, module.action_space, canvas),
            temperature=temperature,
            seed=seed,
            batch_size=batch_size,
        )

    def __repr__(self) -> str:
        """Return the settings; a module is shown by its class."""
        name = type(self.module).__name__
        return f"RLModulePolicy({name}, temperature={self.temperature}, seed={self.seed})"

    def _forward(self, observations: NDArray[Any], masks: NDArray[np.int8]) -> Any:
        has_weights = isinstance(self.module, torch.nn.Module)
        weight = next(iter(self.module.parameters()), None) if has_weights else None
        device = None if weight is None else weight.device
        seen: Any = torch.as_tensor(observations, device=device)
        if isinstance(self.module.observation_space, Dict):
            mask = torch.as_tensor(masks, dtype=torch.float32, device=device)
            seen = {"observations": seen, "action_mask": mask}
        with torch.no_grad():
            output = self.module.forward_inference({Columns.OBS: seen})
        if Columns.ACTION_DIST_INPUTS not in output:
            raise PolicyError(
                f"the module returned {', '.join(output)}, but not {Columns.ACTION_DIST_INPUTS}"
            )
        return output[Columns.ACTION_DIST_INPUTS]


def _array(rows: Any) -> NDArray[Any]:
    return rows.detach().cpu().numpy() if isinstance(rows, torch.Tensor) else np.asarray(rows)
