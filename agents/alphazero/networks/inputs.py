"""An `Encoding` as tensors."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from agents.alphazero.encoding import Encoding


class Inputs(NamedTuple):
    """The fields of `Encoding`, as int64 (bool for `legal`) on the network's device."""

    contents: Tensor
    status: Tensor
    path: Tensor
    cells: Tensor
    focus: Tensor
    reach: Tensor
    legal: Tensor

    @classmethod
    def of(cls, encoding: Encoding, device: torch.device) -> Inputs:
        """Copy an encoding to a device."""
        tensors = [torch.from_numpy(array).to(device) for array in encoding]
        return cls(*[t if t.dtype == torch.bool else t.long() for t in tensors])
