"""Checkpoints: weights that play, and the state that lets a run go on.

A checkpoint is a folder `checkpoints/POSITIONS-UPDATES` of a run:

    weights.safetensors   the averaged weights; depth, network, config, commit in its metadata
    state.pt              everything else that a run needs to go on (`weights_only`)

It is written under another name and then renamed, so that one that exists is whole.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from agents.alphazero.networks import make_network
from agents.search.gumbel import GumbelRules

FORMAT, STATE_FORMAT = 2, 4
"""Of weights, and of the state beside them. A checkpoint of another one is refused."""

_SHIPPED = Path(__file__).parent / "weights"

WEIGHTS, STATE, BEST = "weights.safetensors", "state.pt", "best.safetensors"


@dataclass(frozen=True)
class Card:
    """What weights say of themselves."""

    depth: int
    network: str
    sizes: dict[str, Any]
    positions: int
    commit: str
    config: dict[str, Any]

    @property
    def depths(self) -> list[int]:
        """Of all games that the weights have learnt from."""
        mix = [int(name.removeprefix("depth")) for name in self.config.get("mix", ())]
        return sorted([self.depth, *mix])

    def rules(self, depth: int) -> GumbelRules:
        """The constants that searches of a depth were trained with, if by Gumbel's rules."""
        other = self.config.get("mix", {}).get(f"depth{depth}", {})
        search = {**self.config.get("search", {}), **other.get("search", {})}
        return GumbelRules(**{name: search[name] for name in GumbelRules._fields if name in search})

    def metadata(self) -> dict[str, str]:
        return {"rstt": json.dumps({"format": FORMAT, **vars(self)})}


def save_weights(
    path: Path, network: nn.Module, card: Card, dtype: torch.dtype = torch.float32
) -> None:
    """Write a network's weights, as numbers of `dtype`, whole or not at all."""
    unfinished = path.with_name(f".{path.name}.tmp")
    try:
        weights = {
            name: _as(dtype, weight.detach().cpu()) for name, weight in network.state_dict().items()
        }
        save_file(weights, unfinished, card.metadata())
        _sync(unfinished)
        unfinished.replace(path)
    except (safetensors.SafetensorError, OSError) as error:
        raise _unwritable(path, error) from None
    finally:
        unfinished.unlink(missing_ok=True)


def _as(dtype: torch.dtype, weight: Tensor) -> Tensor:
    """Fractions in another precision; whole numbers stay what they are."""
    return (weight.to(dtype) if weight.is_floating_point() else weight).contiguous()


def load_weights(path: Path) -> tuple[Card, dict[str, Tensor]]:
    """The card and the weights in a file, in single precision; `ValueError` says what is wrong
    with it."""
    try:
        with safetensors.safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
        weights = load_file(path)
    except FileNotFoundError:
        raise ValueError(
            f"{path} does not exist, and no weights of that name come with the package; there are "
            f"{', '.join(shipped()) or 'none'}"
        ) from None
    except safetensors.SafetensorError as error:
        raise ValueError(f"{path} is cut or no safetensors file: {error}") from None
    if "rstt" not in metadata:
        raise ValueError(f"{path} was not written by this project: it has no card")
    card = json.loads(metadata["rstt"])
    if card.pop("format") != FORMAT:
        raise ValueError(f"{path} has another format than {FORMAT}; use the version that made it")
    return Card(**card), {name: _as(torch.float32, weight) for name, weight in weights.items()}


def load_network(path: Path, depth: int | None = None) -> tuple[Card, nn.Module]:
    """The network that a file, a checkpoint's folder or a run's folder (its newest) holds.

    Args:
        path: of the weights.
        depth: of the games it is to play; by default that of its own games.

    Raises:
        ValueError: says what is wrong with the file, or why it can't play at that depth.
    """
    file = weights_file(path)
    card, weights = load_weights(file)
    network = make_network(card.network, depth or card.depth, card.sizes)
    _fill(network, weights, f"{file} (network {card.network!r}, trained at depth {card.depth})")
    return card, network.eval()


def initialise(network: nn.Module, path: Path) -> Card:
    """Give a network the weights of another run, of any depth; `ValueError` if they don't fit."""
    file = weights_file(path)
    card, weights = load_weights(file)
    _fill(network, weights, f"init={path} (network {card.network!r} of depth {card.depth})")
    return card


def _fill(network: nn.Module, weights: dict[str, Tensor], what: str) -> None:
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        reason = str(error).splitlines()[1].strip()
        shorter = reason if len(reason) < 120 else f"{reason[:120]} …"
        raise ValueError(f"{what}: the weights don't fit: {shorter}") from None


def weights_file(path: Path) -> Path:
    """The file that a path means: itself, or the weights of a checkpoint or of a run's newest.

    Where there is nothing, the name of weights that come with the package, such as `depth2`.
    """
    if (path / WEIGHTS).exists():
        return path / WEIGHTS
    if path.is_dir():
        found = Checkpoints(path).all()
        if not found:
            raise ValueError(f"{path} holds no checkpoint")
        return found[-1] / WEIGHTS
    if not path.exists() and str(path) in shipped():
        return shipped_file(str(path))
    return path


def shipped() -> list[str]:
    """The names of the weights that come with the package."""
    return sorted(path.stem for path in _SHIPPED.glob("*.safetensors"))


def shipped_file(name: str) -> Path:
    """Where the weights of this name are, or would be."""
    return _SHIPPED / f"{name}.safetensors"


class Checkpoints:
    """The checkpoints of a run, oldest first.

    Args:
        run: its folder.
        keep: how many, the newest, are kept.
    """

    def __init__(self, run: Path, keep: int = 2) -> None:
        self.folder, self._keep = run / "checkpoints", keep

    def all(self) -> list[Path]:
        """The whole checkpoints."""
        return sorted(path for path in self.folder.glob("[0-9]*") if path.is_dir())

    def save(self, network: nn.Module, card: Card, state: dict[str, Any], updates: int) -> Path:
        """Write a checkpoint after so many updates, and delete the oldest.

        Returns its folder; `OSError` leaves those that were there. A run's state is a function
        of its positions and updates: what is there already need not be written again.
        """
        path = self.folder / f"{card.positions:012}-{updates:08}"
        if path.exists():
            return path
        unfinished = self.folder / f".{path.name}.tmp"
        for leftover in self.folder.glob(".*.tmp"):  # of a process that was killed
            shutil.rmtree(leftover, ignore_errors=True)
        try:
            unfinished.mkdir(parents=True)
            save_weights(unfinished / WEIGHTS, network, card)
            try:
                torch.save({"format": STATE_FORMAT, **_to_tensors(state)}, unfinished / STATE)
                _sync(unfinished / STATE)
            except (RuntimeError, OSError) as error:
                raise _unwritable(path, error) from None
            unfinished.replace(path)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        found = self.all()
        for old in found[: max(0, len(found) - self._keep)]:
            gone = old.with_name(f".{old.name}.tmp")  # a half-deleted one must not look whole
            old.replace(gone)
            shutil.rmtree(gone)
        return path

    def load(self) -> tuple[dict[str, Any], dict[str, Tensor]]:
        """The state and the averaged weights of the newest one; `ValueError` without."""
        found = self.all()
        if not found:
            raise ValueError(
                f"{self.folder.parent} holds no checkpoint to resume from; delete it and begin anew"
            )
        _, weights = load_weights(found[-1] / WEIGHTS)
        path = found[-1] / STATE
        try:
            state = torch.load(path, map_location="cpu", weights_only=True)
        except (OSError, RuntimeError, EOFError, ValueError, pickle.UnpicklingError) as error:
            reason = (str(error) or type(error).__name__).splitlines()[0][:80]
            raise ValueError(
                f"{path} is missing or cut ({reason}); delete its folder to resume from the "
                "checkpoint before"
            ) from None
        if state.pop("format") != STATE_FORMAT:
            raise ValueError(
                f"{path} has another format than {STATE_FORMAT}: start a new run from its "
                f"weights by init={self.folder.parent}"
            )
        return _to_arrays(state), weights


def _to_tensors(tree: Any) -> Any:
    """Arrays as tensors: what `weights_only` admits."""
    if isinstance(tree, dict):
        return {name: _to_tensors(value) for name, value in tree.items()}
    if isinstance(tree, np.ndarray):
        return _Array.to(tree)
    return tree


def _to_arrays(tree: Any) -> Any:
    if isinstance(tree, dict):
        if set(tree) == {"dtype", "bytes", "shape"}:
            return _Array.back(tree)
        return {name: _to_arrays(value) for name, value in tree.items()}
    return tree


class _Array:
    """A NumPy array as its bytes, since tensors don't have all of its types."""

    @staticmethod
    def to(array: np.ndarray[Any, Any]) -> dict[str, Any]:
        data = torch.from_numpy(array.reshape(-1).view(np.uint8).copy())
        return {"dtype": array.dtype.str, "bytes": data, "shape": list(array.shape)}

    @staticmethod
    def back(parts: dict[str, Any]) -> np.ndarray[Any, Any]:
        array: np.ndarray[Any, Any] = parts["bytes"].numpy().view(parts["dtype"])
        return array.reshape(parts["shape"])


def _unwritable(path: Path, error: Exception) -> OSError:
    """What to say when a file can't be written; torch and safetensors don't name a full disk."""
    folder = next(above for above in path.parents if above.exists())
    free = shutil.disk_usage(folder).free / 2**20
    return OSError(f"{path} can't be written ({error}); {free:,.0f} MiB are free on that disk")


def _sync(path: Path) -> None:
    """Have a file's content on disk before its name says that it is."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
