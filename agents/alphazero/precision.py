"""In which floating-point numbers a machine multiplies matrices fastest."""

from __future__ import annotations

import time

import torch

PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16}
"""Names and types. Weights, sums and losses are float32 in any case."""

_WORTH = 1.3  # how much faster bfloat16 has to be


def fastest_precision(device: torch.device) -> str:
    """`bfloat16` where it is clearly faster, as measured; else `float32`."""
    if device.type == "cuda":
        return "bfloat16" if torch.cuda.is_bf16_supported() else "float32"
    return "bfloat16" if _seconds("float32") > _WORTH * _seconds("bfloat16") else "float32"


@torch.inference_mode()
def _seconds(name: str) -> float:
    """The best of some times that a product of a usual size takes."""
    rows = torch.zeros(512, 768, dtype=PRECISIONS[name])
    layer = torch.nn.Linear(768, 384, dtype=PRECISIONS[name])
    best = float("inf")
    for _ in range(50):
        start = time.perf_counter()
        layer(rows)
        best = min(best, time.perf_counter() - start)
    return best
