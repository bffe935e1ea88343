"""From the command line to a configuration object, with errors that help."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable
from typing import Any

import hydra
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException
from rich.console import Console
from rich.table import Table

from agents import KINDS
from experiments.schema import register


def run(config_name: str, program: Callable[[Any], Any]) -> None:
    """Compose `configs/CONFIG_NAME.yaml` with the command line and hand it to `program`.

    What is wrong in a configuration or an agent's spec ends the process with one message.
    """
    register()
    if "--list-agents" in sys.argv:
        list_agents()
        return
    _check_names(config_name, sys.argv[1:])

    def start(config: DictConfig) -> None:
        try:
            options = OmegaConf.to_object(config)
        except (OmegaConfBaseException, ValueError) as error:
            sys.exit(f"error: {_explain(error)}")
        try:
            program(options)
        except (ValueError, OSError) as error:
            sys.exit(f"error: {error}")

    hydra.main(config_path="pkg://configs", config_name=config_name, version_base="1.3")(start)()


def list_agents() -> None:
    """Print what a spec can be."""
    table = Table("spec", "what it is", title="agents", title_justify="left", show_lines=True)
    for kind in KINDS.values():
        table.add_row(kind.usage, kind.about)
    Console().print(table)


def _check_names(config_name: str, arguments: list[str]) -> None:
    """Refuse names that the configuration lacks, and say which valid one is the nearest."""
    with hydra.initialize_config_module("configs", version_base="1.3"):
        names = _names(hydra.compose(config_name))
    for argument in arguments:
        name, equals, _ = argument.lstrip("+~").partition("=")
        if argument.startswith("-") or name.split(".")[0] == "hydra":
            continue
        if not equals:
            sys.exit(f"error: {argument!r} is no setting; write name=value. Names: {_list(names)}")
        if name.split("@")[0] not in names:
            close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            sys.exit(f"error: nothing is called {name!r}{hint}. Names: {_list(names)}")


def _names(config: Any, above: str = "") -> list[str]:
    """All names of a configuration, those of groups included: `game`, `game.depth`, …"""
    names: list[str] = []
    for key in config if isinstance(config, DictConfig) else ():
        name = above + str(key)
        names.extend([name, *_names(config._get_node(key), f"{name}.")])
    return names


def _list(names: list[str]) -> str:
    return ", ".join(names)


def _explain(error: Exception) -> str:
    """The first line of an error, and the setting that it is about."""
    if isinstance(error, MissingMandatoryValue):
        return f"{error.full_key} is missing: give {error.full_key}=…, or see --help"
    where = getattr(error, "full_key", None)
    return (f"{where}: " if where else "") + str(error).splitlines()[0]
