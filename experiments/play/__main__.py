"""Play in the browser: `python -m experiments.play`, or `rstt-play`."""

from __future__ import annotations

import socket
import sys
import threading
import webbrowser
from pathlib import Path

from agents import make_agent
from agents.alphazero.checkpoint import load_weights, shipped, weights_file
from agents.threads import num_cores
from experiments import cli
from experiments.schema import PlayConfig
from rstt_env import tree
from rstt_env.positions import positions_from_moves

_DEPTHS = range(1, tree.MAX_DEPTH + 1)


def play(config: PlayConfig) -> None:
    """Serve the board until Ctrl-C."""
    try:
        import platformdirs
        import uvicorn

        from experiments.play.messages import SIZE
        from experiments.play.server import LOOPBACK, make_app
        from experiments.play.store import Store
        from experiments.play.workers import Workers
    except ModuleNotFoundError as error:
        sys.exit(
            f'error: {error.name} is missing: the board needs the extra "play"; '
            'pip install -c constraints.txt -e ".[play]"'
        )
    data = Path(config.data) if config.data else platformdirs.user_data_path("rstt")
    local = config.host in LOOPBACK
    networks = _networks(config.networks)
    for spec in config.agents:
        make_agent(spec, depth=2, threads=1)  # raises what is wrong with it
    listening = _listen(config.host, config.port)
    store = Store(data)
    warm = [("uct:1", depth) for depth in _DEPTHS]
    warm += [(f"az:{path}:1", depth) for depth, path in networks.items()]
    app = make_app(
        store, Workers(config.workers or num_cores(), warm), local, networks=networks,
        specs=config.agents, rooms=config.rooms, expire=config.expire,
    )  # fmt: skip
    for depth in _DEPTHS:  # compiles, before anyone waits for it
        positions_from_moves(depth, [[0]])
    shown = _own_address() if config.host == "0.0.0.0" else config.host
    url = f"http://{shown}:{listening.getsockname()[1]}/"
    print(f"the board is at {url} (Ctrl-C ends it; matches are kept in {data})", flush=True)
    if config.browser:
        threading.Timer(0.5, _open, [url]).start()
    settings = uvicorn.Config(
        app, log_level="warning", ws_max_size=SIZE, ws_max_queue=8, proxy_headers=False,
        timeout_graceful_shutdown=2, server_header=False,
    )  # fmt: skip
    uvicorn.Server(settings).run(sockets=[listening])


def _networks(paths: list[str]) -> dict[int, str]:
    """Depth → the path that was trained at it, else what is shipped for it.

    `ValueError` for what is none, or one too many.
    """
    found: dict[int, str] = {}
    for path in paths:
        depth = load_weights(weights_file(Path(path)))[0].depth
        if depth in found:
            raise ValueError(
                f"networks: {found[depth]} and {path} are both of depth {depth}; give one"
            )
        found[depth] = path
    ours = {depth: name for name in shipped() for depth in _DEPTHS if name == f"depth{depth}"}
    return ours | found


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens; `ValueError` says why it can't."""
    try:
        return socket.create_server((host, port))
    except OSError as error:
        raise ValueError(
            f"{host}:{port} can't be served ({error.strerror}); choose another with port=…"
        ) from None


def _open(url: str) -> None:
    if not webbrowser.open(url):
        print("no browser could be opened: open the address yourself", flush=True)


def _own_address() -> str:
    """By which others in the network reach this machine, as far as it knows."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only chooses a way out
            address: str = probe.getsockname()[0]
        except OSError:  # no network
            return "127.0.0.1"
    return address


def main() -> None:
    """Run it."""
    cli.run("play", play)


if __name__ == "__main__":
    main()
