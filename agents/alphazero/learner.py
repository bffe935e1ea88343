"""The learner: from records of the replay to better weights."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from agents.alphazero.augmentation import transform
from agents.alphazero.networks.inputs import Inputs
from agents.alphazero.replay import UNKNOWN, Replay, encoding_of, policies, values


@dataclass
class LearnerConfig:
    """How the network learns.

    Attributes:
        rate: of AdamW, after the warm-up.
        warmup: updates over which the rate rises.
        decay: share of the budget, at its end, over which the rate falls to a tenth.
        weight_decay: of AdamW.
        batch: positions in an update.
        reuse: how often each position is used, on average.
        updates: of the network between two publications of its weights to self-play.
        clip: largest norm of the gradient.
        ema: how slowly the averaged weights, for evaluation, follow: their share that stays.
        result_weight: of the cross-entropy to the result.
        root_weight: of the squared error to the value of the search's root.
        window_min, window_share, window_max: the newest positions that are learnt from are this
            share of all, within these bounds.
    """

    rate: float
    warmup: int
    decay: float
    weight_decay: float
    batch: int
    reuse: float
    updates: int
    clip: float
    ema: float
    result_weight: float
    root_weight: float
    window_min: int
    window_share: float
    window_max: int

    def __post_init__(self) -> None:
        if self.rate <= 0:
            raise ValueError(f"learner.rate is {self.rate}; it must be more than 0")
        if not 0 <= self.ema < 1 or not 0 <= self.decay <= 1:
            raise ValueError(
                f"learner.ema is {self.ema} and learner.decay {self.decay}; the first must be "
                "from 0 to less than 1, the second from 0 to 1"
            )
        if min(self.batch, self.updates) < 1 or self.reuse <= 0:
            raise ValueError(
                f"learner.batch is {self.batch}, learner.updates {self.updates} and learner.reuse "
                f"{self.reuse}; all must be more than 0"
            )
        if not self.batch <= self.window_min <= self.window_max:
            raise ValueError(
                f"learner.batch is {self.batch}, learner.window_min {self.window_min} and "
                f"learner.window_max {self.window_max}; each must be at most the next, since a "
                "batch is drawn from the window"
            )

    def window(self, size: int) -> int:
        """How many of `size` positions, the newest, to draw from."""
        return int(min(max(self.window_share * size, self.window_min), self.window_max))

    def scale(self, update: int, progress: float) -> float:
        """The learning rate, as a share of `rate`, at a share of the budget, `progress`."""
        warm = min(1.0, (update + 1) / max(1, self.warmup))
        left = min(1.0, (1 - progress) / self.decay) if self.decay else 1.0
        return warm * (0.1 + 0.9 * max(0.0, left))


class Update(NamedTuple):
    """What an update measured, before it changed the weights. Scalars on the device."""

    policy_loss: Tensor
    policy_floor: Tensor  # the targets' entropy: no policy loss is lower
    policy_entropy: Tensor
    result_loss: Tensor
    root_loss: Tensor
    gradient_norm: Tensor
    value: Tensor  # float[batch], win less loss
    outcome: Tensor  # int64[batch], see `replay`


class Learner:
    """Trains `network` in place; `average` holds the exponential moving average of its weights.

    All randomness comes from the seed and the number of updates.
    """

    def __init__(
        self, network: nn.Module, config: LearnerConfig, depth: int, device: torch.device, seed: int
    ) -> None:
        self.network, self.config, self._depth = network, config, depth
        self._device, self._seed = device, seed
        self.average = copy.deepcopy(network).eval()
        self.updates = 0
        self._optimizer = torch.optim.AdamW(
            network.parameters(), lr=config.rate, weight_decay=config.weight_decay
        )

    def update(self, replay: Replay, progress: float) -> Update:
        """One step on a batch of random positions, each under a random symmetry."""
        config = self.config
        rng = np.random.default_rng((self._seed, self.updates))
        records = replay.sample(config.batch, config.window(replay.size), rng)
        records = transform(records, rng.integers(8, size=config.batch), self._depth)
        for group in self._optimizer.param_groups:
            group["lr"] = self.rate(progress)
        self.network.train()
        loss, update = self._loss(records)
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), config.clip)
        self._optimizer.step()
        self.updates += 1
        self._follow()
        return update._replace(gradient_norm=norm.detach())

    def rate(self, progress: float) -> float:
        """The learning rate of the next update."""
        return self.config.rate * self.config.scale(self.updates, progress)

    def _loss(self, records: NDArray[Any]) -> tuple[Tensor, Update]:
        inputs = Inputs.of(encoding_of(records), self._device)
        target = torch.from_numpy(policies(records)).to(self._device)
        root = torch.from_numpy(values(records)).to(self._device)
        outcome = torch.from_numpy(records["outcome"].astype(np.int64)).to(self._device)

        logits, wdl = self.network(inputs)
        logits = logits.masked_fill(~inputs.legal, -1e9)  # softmax over the legal children alone
        with_policy = target.sum().clamp(min=1)  # fast searches have no policy to learn
        policy = functional.cross_entropy(logits, target, reduction="sum") / with_policy
        result = functional.cross_entropy(wdl, outcome, ignore_index=UNKNOWN, reduction="sum")
        result = result / len(records)
        chances = torch.softmax(wdl, 1)
        value = chances[:, 0] - chances[:, 2]
        error = functional.mse_loss(value, root)
        loss = policy + self.config.result_weight * result + self.config.root_weight * error
        with torch.no_grad():
            shares = torch.softmax(logits, 1)
            update = Update(
                policy_loss=policy.detach(),
                policy_floor=torch.special.entr(target).sum() / with_policy,
                policy_entropy=torch.special.entr(shares).sum(1).mean(),
                result_loss=result.detach()
                * len(records)
                / (outcome != UNKNOWN).sum().clamp(min=1),
                root_loss=error.detach(),
                gradient_norm=error.detach(),
                value=value.detach(),
                outcome=outcome,
            )
        return loss, update

    @torch.no_grad()
    def _follow(self) -> None:
        """Move the averaged weights; early on faster, so that they forget the first ones."""
        stays = min(self.config.ema, self.updates / (self.updates + 10))
        for slow, fast in zip(
            self.average.state_dict().values(), self.network.state_dict().values(), strict=True
        ):
            if slow.is_floating_point():
                slow.lerp_(fast, 1 - stays)
            else:
                slow.copy_(fast)

    def state(self) -> dict[str, Any]:
        """All that changes, the averaged weights aside."""
        return {
            "network": self.network.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "updates": self.updates,
        }

    def restore(self, state: dict[str, Any], average: dict[str, Tensor]) -> None:
        """Go on from what `state` returned and the averaged weights of then."""
        self.network.load_state_dict(state["network"])
        self._optimizer.load_state_dict(state["optimizer"])
        self.updates = state["updates"]
        self.average.load_state_dict(average)
