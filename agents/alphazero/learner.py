"""The learner: from records of the replay to better weights."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from agents.alphazero.augmentation import transform
from agents.alphazero.encoding import MINE, OPEN, THEIRS
from agents.alphazero.networks.inputs import Inputs
from agents.alphazero.replay import UNKNOWN, Replay, encoding_of, policies, values
from agents.alphazero.schedule import UPDATES, LearnerConfig

_LOCKED = 4  # in place of the owner of a board that can't change any more


class Update(NamedTuple):
    """What an update measured, before it changed the weights. Scalars on the device."""

    depth: int  # of the positions
    policy_loss: Tensor
    policy_floor: Tensor  # the targets' entropy: no policy loss is lower
    policy_entropy: Tensor
    result_loss: Tensor
    root_loss: Tensor
    owner_loss: Tensor  # 0 where it isn't learnt
    gradient_norm: Tensor
    value: Tensor  # float[batch], win less loss
    outcome: Tensor  # int64[batch], see `replay`


def in_play(status: Tensor) -> Tensor:
    """bool[n, num_boards]: which boards are neither decided nor inside a decided one."""
    parents = (torch.arange(status.shape[1], device=status.device) - 1).clamp(min=0) // 9
    live = status == OPEN
    while not torch.equal(live, below := live & live[:, parents]):
        live = below
    return live


def material(owners: Tensor, depth: int) -> Tensor:
    """float[n] in (-1, 1): boards that are the mover's less those that are not.

    A board counts a third of one around it, as a child decides about a third of what becomes of
    its board.

    Args:
        owners: uint8[n, num_boards], by heap number, OPEN to DRAWN.
        depth: of the games.
    """
    levels = [torch.full((9**level,), 1 / 3**level) for level in range(depth)]
    worth = torch.cat(levels).to(owners.device)
    balance = (owners == MINE).float() - (owners == THEIRS).float()
    return torch.tanh(balance @ worth)


class Learner:
    """Trains `network` in place; `average` holds the exponential moving average of its weights.

    `config` is for the optimiser and the average.
    All randomness comes from the seed and the number of updates. With bfloat16 as `precision`,
    matrix products are done in it (autocast); weights and losses stay float32.
    """

    def __init__(
        self,
        network: nn.Module,
        config: LearnerConfig,
        device: torch.device,
        seed: int,
        precision: torch.dtype = torch.float32,
    ) -> None:
        self.network, self.config = network, config
        self._precision = precision
        self._device, self._seed = device, seed
        self.average = copy.deepcopy(network).eval()
        self.updates = 0
        self._optimizer = torch.optim.AdamW(
            network.parameters(), lr=config.rate, weight_decay=config.weight_decay
        )

    def update(self, replay: Replay, config: LearnerConfig, progress: float) -> Update:
        """One step on a batch of random positions, under random symmetries: one for each game.

        Args:
            replay: to draw from.
            config: its batch, window, weights of losses, and clip.
            progress: share of the run's budget that is used up.
        """
        rng = np.random.default_rng((self._seed, UPDATES, self.updates))
        torch.manual_seed(int(rng.integers(2**62)))  # for networks that draw numbers
        window = config.window(replay.size)
        records = replay.sample(config.batch, window, rng, config.per_game)
        symmetries = rng.integers(8, size=config.batch // config.per_game)
        records = transform(records, symmetries.repeat(config.per_game), replay.depth)
        for group in self._optimizer.param_groups:
            group["lr"] = self.rate(progress)
        self.network.train()
        loss, update = self._loss(records, config, replay.depth)
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

    def _loss(
        self, records: NDArray[Any], config: LearnerConfig, depth: int
    ) -> tuple[Tensor, Update]:
        inputs = Inputs.of(encoding_of(records), self._device)
        target = torch.from_numpy(policies(records)).to(self._device)
        root = torch.from_numpy(values(records)).to(self._device)
        owners = torch.from_numpy(records["owners"]).to(self._device)
        if config.material > 0:
            root = root.lerp(material(owners, depth), config.material)
        outcome = torch.from_numpy(records["outcome"].astype(np.int64)).to(self._device)

        learns_owners = config.owner_weight > 0 and hasattr(self.network, "with_owners")
        low = self._precision != torch.float32
        with torch.autocast(self._device.type, self._precision, enabled=low):
            if learns_owners:
                logits, wdl, believed = self.network.with_owners(inputs)  # type: ignore[operator]
            else:
                logits, wdl = self.network(inputs)
        logits, wdl = logits.float(), wdl.float()
        logits = logits.masked_fill(~inputs.legal, -1e9)  # softmax over the legal children alone
        with_policy = target.sum().clamp(min=1)  # fast searches have no policy to learn
        policy = functional.cross_entropy(logits, target, reduction="sum") / with_policy
        result = functional.cross_entropy(wdl, outcome, ignore_index=UNKNOWN, reduction="sum")
        result = result / len(records)
        chances = torch.softmax(wdl, 1)
        value = chances[:, 0] - chances[:, 2]
        error = functional.mse_loss(value, root)
        loss = policy + config.result_weight * result + config.root_weight * error
        owner = torch.zeros_like(error)
        if learns_owners:
            later = torch.where(in_play(inputs.status), owners.long(), _LOCKED)
            owner = functional.cross_entropy(
                believed.flatten(0, 1).float(), later.flatten(), ignore_index=_LOCKED
            )
            loss = loss + config.owner_weight * owner
        with torch.no_grad():
            shares = torch.softmax(logits, 1)
            update = Update(
                depth=depth,
                policy_loss=policy.detach(),
                policy_floor=torch.special.entr(target).sum() / with_policy,
                policy_entropy=torch.special.entr(shares).sum(1).mean(),
                result_loss=result.detach()
                * len(records)
                / (outcome != UNKNOWN).sum().clamp(min=1),
                root_loss=error.detach(),
                owner_loss=owner.detach(),
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
