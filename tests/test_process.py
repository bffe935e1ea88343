"""Other programs as agents: ours through the pipe, and every way in which a program can fail."""

import io
import shlex
import sys
import time

import numpy as np
import pytest

from agents import FORFEIT, make_agent, process
from agents.arena import play_pairs
from agents.process import ProcessAgent, moves_to
from experiments.bot import play
from rstt_env import Positions, positions_from_moves
from tests.conftest import JIT
from tests.vectors import GAMES

OURS = f"{sys.executable} -m experiments.bot agent=uct:20 seed=3"
LOOP = """
import sys
while True:
    line = sys.stdin.readline()
    if not line: break
    opponent = tuple(map(int, line.split()))
    valid = [tuple(map(int, sys.stdin.readline().split())) for _ in range(int(input()))]
    {answer}
"""
GAMES_OF_TWO = [game for game in GAMES if game["depth"] == 2]
FIRST_VALID = "print(*valid[0], flush=True)"


def program(answer):
    """The command of a program that reads the protocol and answers by a line of Python."""
    return shlex.join([sys.executable, "-c", LOOP.format(answer=answer)])


@pytest.fixture
def agent_of():
    agents = []

    def make(answer):
        agents.append(ProcessAgent(2, program(answer)))
        return agents[-1]

    yield make
    for agent in agents:
        agent.reset()


def test_a_program_plays_whole_games_from_both_seats(agent_of):
    """Each turn it gets the opponent's square and the legal ones; openings are put to it."""
    agent = agent_of(FIRST_VALID)
    wave = next(play_pairs((agent, make_agent("random", 2)), 2, [[40], [8, 72]]))
    for game in wave.games:
        assert game.forfeit is None
        positions = positions_from_moves(2, [game.moves])
        assert positions.outcome[0] >= 0


def test_ours_plays_ours_through_the_pipe():
    """The same agent, asked directly, gives the same answers."""
    piped, direct = make_agent(f"process:{OURS}", 2), make_agent("uct:20", 2, seed=3)
    position = positions_from_moves(2, [[40, 36, 0]])
    try:
        for _ in range(4 if JIT else 1):
            answer = piped.act(position, [0])
            assert answer.square[0] == direct.act(position, [0]).square[0], answer.forfeits
            position.play(answer.square)
            position.play(position.random_squares(1))
    finally:
        piped.reset()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("print('5', flush=True)", "which is no row and column"),
        ("print('9 0', flush=True)", "which is no row and column"),
        ("print('12 0', flush=True)", "which is no row and column"),
        ("import os; os.close(1); import time; time.sleep(60)", "closed its output"),
        ("print('x y', flush=True)", "which is no row and column"),
        ("print(0, 0, flush=True)", "answered 0 0, which is illegal in\nX to move in 5"),
        ("raise SystemExit(3)", "ended with exit status 3"),
        ("raise RuntimeError('lost the thread')", "RuntimeError: lost the thread"),
        ("import time; time.sleep(60)", "gave no answer within 0.5 s"),
    ],
)
def test_what_goes_wrong_loses_the_game_and_is_reported(agent_of, monkeypatch, answer, reason):
    # the opening's plies, which are put as the only action, are answered well
    agent = agent_of(f"if len(valid) == 1: {FIRST_VALID}; continue\n    {answer}")
    if "0.5 s" in reason:
        monkeypatch.setattr(process, "FIRST_SECONDS", 0.5)
        monkeypatch.setattr(process, "TURN_SECONDS", 0.5)
    positions = positions_from_moves(2, [[80, 76]])
    answered = agent.act(positions, [5])
    assert answered.square[0] == FORFEIT
    assert reason in answered.forfeits[0]


def test_a_wrapper_script_ends_with_all_that_it_started():
    command = "sh -c 'sleep 30; true'"
    agent = ProcessAgent(2, command)
    start = time.perf_counter()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "FIRST_SECONDS", 0.3)
        answer = agent.act(Positions(2), [0])
    assert answer.square[0] == FORFEIT
    assert time.perf_counter() - start < 10


def test_what_can_not_be_started_forfeits(tmp_path):
    program = tmp_path / "bot"
    program.write_bytes(b"\x00\x01 no program")
    program.chmod(0o755)
    answer = ProcessAgent(2, str(program)).act(Positions(2), [0])
    assert "can't be started" in answer.forfeits[0]


def test_words_after_the_move_and_lines_without_a_question_are_passed_over(agent_of):
    agent = agent_of("print(*valid[0], 'good luck', flush=True); print('8 8', flush=True)")
    position = Positions(2)
    position.play(agent.act(position, [0]).square)
    position.play(position.random_squares(0))
    time.sleep(0.3)  # the second line is there by now
    answer = agent.act(position, [0])
    assert not answer.forfeits
    assert position.legal[0, answer.square[0]]


def test_a_program_that_ignores_the_opening_is_told_so(agent_of):
    agent = agent_of("print(0, 0, flush=True)")
    answered = agent.act(positions_from_moves(2, [[40, 36]]), [0])
    assert answered.forfeits[0].endswith("answered 0 0 to the opening's 4 4")


def test_games_are_kept_apart_and_positions_without_ids_are_games_of_their_own(agent_of):
    agent = agent_of("print(*valid[len(valid) // 2], flush=True)")
    positions = positions_from_moves(2, [[40], [0]])
    squares = agent.act(positions).square
    assert agent.act(positions[::-1], [4, 9]).square.tolist() == squares[::-1].tolist()
    assert agent.act(positions).square.tolist() == squares.tolist()


def test_a_game_that_a_program_has_not_seen_is_refused(agent_of):
    agent = agent_of(FIRST_VALID)
    with pytest.raises(ValueError, match="can't join a game that has had 20 plies"):
        agent.act(positions_from_moves(2, [GAMES_OF_TWO[0]["moves"][:20]]), [0])
    agent.act(positions_from_moves(2, [[40]]), [1])
    with pytest.raises(ValueError, match="hasn't seen this game's last turns"):
        agent.act(positions_from_moves(2, [[0]]), [1])


def test_only_depth_two_is_spoken():
    with pytest.raises(ValueError, match="depth 2, not of depth 3"):
        ProcessAgent(3, "x")


@pytest.mark.parametrize("plies", [0, 1, 5, 8])
def test_an_order_of_moves_is_found_for_any_start(plies):
    for game in GAMES_OF_TWO[:10]:
        position = positions_from_moves(2, [game["moves"][:plies]])
        again = positions_from_moves(2, [moves_to(position)])
        assert again.keys[0] == position.keys[0]
        assert again.last_square[0] == position.last_square[0]


def test_the_bot_speaks_the_protocol():
    """X opens with the only action it is given, then answers within its board."""
    legal = np.flatnonzero(positions_from_moves(2, [[40, 36]]).legal[0])
    rows = [(3 * (s // 27) + s % 9 // 3, 3 * (s // 9 % 3) + s % 3) for s in legal]
    turns = ["-1 -1", "1", "4 4", "3 3", str(len(rows)), *(f"{r} {c}" for r, c in rows)]
    target = io.StringIO()
    play(make_agent("random", 2), io.StringIO("\n".join(turns) + "\n"), target)
    first, second = target.getvalue().splitlines()
    assert first == "4 4"
    assert tuple(map(int, second.split())) in rows


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello\n", "is not a row and a column"),
        ("9 9\n", "no row and column from 0 to 8"),
        ("-1 -1\n2\n4 4\n", "is not a row and a column"),
    ],
)
def test_the_bot_says_what_is_wrong_with_its_input(text, message):
    with pytest.raises(ValueError, match=message):
        play(make_agent("random", 2), io.StringIO(text), io.StringIO())


def test_the_start_is_asked_with_minus_one(agent_of):
    agent = agent_of("print(*(valid[0] if opponent == (-1, -1) else (8, 8)), flush=True)")
    answer = agent.act(Positions(2), [0])
    assert not answer.forfeits
    assert answer.square[0] == 0
