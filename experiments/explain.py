"""The settings of a program, each with what the configuration files say of it, for `--help`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

import configs


def settings(program: str, *, _root_: DictConfig) -> str:
    """Lines such as `learner.clip=1.0  largest norm of the gradient`, as they can be given.

    A resolver for OmegaConf: it sees the composed configuration.
    """
    about = _comments(program, dict(_root_.hydra.runtime.choices))
    flat = _flat({name: _root_._get_node(name) for name in _root_ if name != "hydra"})
    lines = [f"{line:34}  {about.get(name, '')}".rstrip() for line, name in flat]
    return "\n".join(lines).replace("$", "$$")  # Hydra fills in what it finds after a $


def _flat(tree: dict[Any, Any], above: str = "") -> list[tuple[str, str]]:
    """`name=value` and name of every setting, those of groups with the group's name before."""
    lines: list[tuple[str, str]] = []
    for key, node in tree.items():
        name = f"{above}{key}"
        if isinstance(node, DictConfig) and not node._is_none() and name != "evaluation.ratings":
            inner = {inside: node._get_node(inside) for inside in node}
            lines.extend(_flat(inner, f"{name}."))
        else:
            lines.append((f"{name}={_text(node)}", name))
    return lines


def _text(node: Any) -> str:
    """The value as it can be given, interpolations left as they are."""
    if OmegaConf.is_config(node) and not node._is_none():
        return str(OmegaConf.to_container(node)).replace("'", "")
    value = node._value()
    return {"None": "null", "True": "true", "False": "false"}.get(str(value), str(value))


def _comments(program: str, choices: dict[str, str]) -> dict[str, str]:
    """The comment of each setting in the chosen configuration files."""
    about: dict[str, str] = {}
    root = Path(configs.__file__).parent
    for path in [root / f"{program}.yaml", *sorted(root.glob("*/*.yaml"))]:
        group = path.parent.name
        if path.parent != root and (group == "scale" or choices.get(group) != path.stem):
            continue  # `scale` changes what other files explain
        group = "" if path.parent == root else f"{path.parent.name}."
        above = ""
        for line in path.read_text("utf-8").splitlines():
            setting, _, comment = line.partition(" # ")
            name = setting.partition(":")[0].strip()
            if not line.startswith(" "):
                above = group
            if comment:
                about.setdefault(above + name, comment)
            if not line.startswith(" "):
                above = f"{group}{name}."
    return about
