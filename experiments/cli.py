"""From the command line to a configuration object, with errors that help."""

from __future__ import annotations

import difflib
import itertools
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException
from rich.console import Console
from rich.table import Table

import configs
from agents import KINDS
from experiments.explain import settings
from experiments.schema import register

_VALUED = {
    "--cfg", "-c", "--package", "-p", "--config-path", "-cp", "--config-name", "-cn",
    "--config-dir", "-cd", "--info", "-i", "--experimental-rerun",
}  # fmt: skip
"""Flags of Hydra that a value may follow."""
STOPPED = 130  # the exit status of a program that was interrupted


Resumed = Callable[[DictConfig, list[str]], DictConfig]


def run(
    config_name: str,
    program: Callable[[Any], Any],
    sweeps: bool = False,
    resumed: Resumed = lambda config, overrides: config,
) -> None:
    """Compose `configs/CONFIG_NAME.yaml` with the command line and hand it to `program`.

    What is wrong in a configuration or an agent's spec ends the process with one message.
    SIGTERM is treated as Ctrl-C.

    Args:
        config_name: of the configuration.
        program: takes the configuration as an object of its schema.
        sweeps: whether `--multirun` makes sense; each run's `output` gets a folder of its own.
        resumed: may replace the composed configuration, given what the command line overrides.
    """
    register()
    OmegaConf.register_new_resolver("settings", settings, replace=True)
    if os.getcwd() not in sys.path:  # where a user's own network or agent lies
        sys.path.append(os.getcwd())
    if "--list-agents" in sys.argv:
        list_agents()
        return
    _check(config_name, sys.argv[1:], sweeps)
    first: list[str] = []

    def start(config: DictConfig) -> None:
        try:
            hydra_config = HydraConfig.get()
            overrides = list(hydra_config.overrides.task)
            if hydra_config.mode == RunMode.MULTIRUN:
                first.append(config.output)  # whose name, a time perhaps, all of them share
                config.output = f"{first[0]}/{_sweep_name(overrides, hydra_config)}"
            options = OmegaConf.to_object(resumed(config, overrides))
        except (OmegaConfBaseException, ValueError) as error:
            sys.exit(f"error: {_explain(error)}")
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            program(options)
        except (ValueError, OSError) as error:
            sys.exit(f"error: {error}")
        except KeyboardInterrupt:
            print("stopped", file=sys.stderr)
            sys.exit(STOPPED)

    hydra.main(config_path="pkg://configs", config_name=config_name, version_base="1.3")(start)()


def _sweep_name(overrides: list[str], config: Any) -> str:
    """A folder for a run of a sweep: its number and what the sweep varies, as far as it fits."""
    swept = {
        argument.partition("=")[0] for argument in sys.argv if "," in argument.partition("=")[2]
    }
    parts = [part.replace("=", "-") for part in overrides if part.partition("=")[0] in swept]
    name = "_".join([str(config.job.num), *parts])
    return "".join(c if c.isalnum() or c in "-_." else "" for c in name)[:100]


def list_agents() -> None:
    """Print what a spec can be."""
    table = Table("spec", "what it is", title="agents", title_justify="left", show_lines=True)
    for kind in KINDS.values():
        table.add_row(kind.usage, kind.about)
    Console(emoji=False).print(table)


def new_folder(path: str) -> Path:
    """The output folder `path`, made if need be; `ValueError` if it holds results already."""
    folder = Path(path)
    if any((folder / name).exists() for name in ("results.json", "games.jsonl")):
        raise ValueError(f"output: {folder} holds results already; name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(f"output: {folder} can't be made: {error.strerror}") from None
    return folder


def _check(config_name: str, arguments: list[str], sweeps: bool) -> None:
    """Refuse what Hydra would refuse with more words, and say what is valid instead."""
    sweep = bool({"-m", "--multirun"} & set(arguments))
    if sweep and not sweeps:
        sys.exit("error: this program does one run at a time, without --multirun")
    if sweep and arguments[0] not in ("-m", "--multirun"):
        sys.exit("error: -m comes first, before all settings")
    overrides = []
    for before, argument in zip(["", *arguments], arguments, strict=False):
        if not argument.startswith("-") and before not in _VALUED:
            overrides.append(argument)
    with hydra.initialize_config_module("configs", version_base="1.3"):
        plain = hydra.compose(config_name, return_hydra_config=True)
        groups = [name for name in plain.hydra.runtime.choices if not name.startswith("hydra/")]
        names = list(dict.fromkeys([*groups, *_names(plain)]))
        for override in overrides:
            if override.startswith(("+network.", "mix.", "+mix.")):
                continue  # the sizes of one's own network, and the settings of other depths
            _check_override(override, [name for name in names if not name.startswith("hydra")])
        try:
            if not sweep:
                hydra.compose(config_name, overrides)
            for single in _runs(overrides) if sweep else []:  # before the first of them starts
                OmegaConf.to_object(hydra.compose(config_name, single))
        except (HydraException, OmegaConfBaseException, ValueError) as error:
            sys.exit(f"error: {_explain(error)}")


def _runs(overrides: list[str]) -> list[list[str]]:
    """The runs that a sweep consists of, as overrides without lists of values."""
    parsed = OverridesParser.create().parse_overrides(overrides)
    values = [
        [f"{override.key_or_group}={value}" for value in override.sweep_string_iterator()]
        if override.is_sweep_override()
        else [override.input_line or ""]
        for override in parsed
    ]
    return [list(single) for single in itertools.product(*values)]


def _check_override(override: str, names: list[str]) -> None:
    name, equals, value = override.lstrip("+~").partition("=")
    name = name.split("@")[0]
    if name.split(".")[0] == "hydra":
        return
    if not equals:
        sys.exit(f"error: {override!r} is no setting; write name=value, see --help")
    if name == "game.depth":
        sys.exit(f"error: write game=depth{value}: the depth decides other settings as well")
    if name not in names:
        close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f" (did you mean {close[0]!r}?)" if close else ""
        own = name.startswith("network.")
        hint += f"; for your own network write +{override}" if own else ""
        sys.exit(f"error: nothing is called {name!r}{hint}; --help lists all settings")
    group = Path(configs.__file__).parent / name
    choices = sorted(path.stem for path in group.glob("*.yaml"))
    if choices and not set(value.split(",")) <= {*choices, "null"}:
        close = difflib.get_close_matches(value, choices, n=1, cutoff=0.5)
        hint = f" (did you mean {close[0]}?)" if close else ""
        sys.exit(f"error: {name} is {value!r}{hint}; choose one of {', '.join(choices)}")


def _names(config: Any, above: str = "") -> list[str]:
    """All names of a configuration, those of groups included: `game`, `game.depth`, …"""
    names: list[str] = []
    for key in config if isinstance(config, DictConfig) else ():
        name = above + str(key)
        names.extend([name, *_names(config._get_node(key), f"{name}.")])
    return names


def _explain(error: BaseException) -> str:
    """What is wrong, in a line, with the setting that it is about."""
    if isinstance(error, MissingMandatoryValue):
        return f"{error.full_key} is missing: give {error.full_key}=…, or see --help"
    cause = error.__cause__
    if isinstance(error, HydraException) and isinstance(cause, OmegaConfBaseException):
        error = cause
    where = getattr(error, "full_key", None)
    message = str(error).splitlines()[0]
    if "is not a ListConfig" in message:
        message = f"a list is needed; write '{where}=[…]', in quotes"
    return (f"{where}: " if where else "") + message
