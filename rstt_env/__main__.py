"""A demo: `python -m rstt_env --depth 2` plays one random game through the environment."""

import argparse

import gymnasium
from rich.console import Console
from rich.text import Text

import rstt_env
from rstt_env.notation import address, square_address
from rstt_env.outcome import DRAW, NAMES


def main() -> None:
    """Play the game and show what the environment returns."""
    parser = argparse.ArgumentParser(prog="python -m rstt_env", description=__doc__)
    parser.add_argument("--depth", type=int, default=2, choices=(1, 2, 3, 4), help="default: 2")
    parser.add_argument("--seed", type=int, default=0, help="of the random moves; default: 0")
    arguments = parser.parse_args()
    console = Console()
    depth: int = arguments.depth

    env = gymnasium.make("RSTT-v0", depth=depth, render_mode="ansi")
    _, info = env.reset(seed=arguments.seed)
    env.action_space.seed(arguments.seed)
    moves: list[int] = []
    over = False
    while not over:
        mover = NAMES[info["to_play"]]
        square = int(env.action_space.sample(info["action_mask"]))
        _, reward, over, _, info = env.step(square)
        moves.append(square)
        if len(moves) <= 3 or over:
            where = address(info["focus"]) if info["focus"] else "play anywhere"
            console.print(
                f"\nply {len(moves)}: {mover} plays {square_address(depth, square)}, "
                + (
                    f"reward {float(reward):+.0f}"
                    if over
                    else f"which sends the opponent to {where}"
                )
            )
        if over and depth <= 3:
            console.print(Text.from_ansi(str(env.render())), no_wrap=True, crop=False)
        elif len(moves) == 3:
            console.print("…")
    record = rstt_env.GameRecord.of_moves(depth, moves)
    outcome = "a draw" if record.result == NAMES[DRAW] else f"{record.result} wins"
    console.print(f"{outcome} after {len(moves)} plies")


if __name__ == "__main__":
    main()
