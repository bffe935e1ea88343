"""The arena and its openings: fair pairs, right credit, agents kept apart."""

import numpy as np
import pytest

from agents import FORFEIT, Answer, arena, make_agent
from agents.arena import play_pairs, record
from agents.openings import RANDOM_PLIES, first_squares, make_openings
from rstt_env import DRAW, GameRecord, O, X, positions_from_moves
from rstt_env.outcome import NAMES
from rstt_env.tree import permuted_nodes
from tests.conftest import DEPTHS


def play(agents, depth, openings):
    return [game for wave in play_pairs(agents, depth, openings) for game in wave.games]


class Spy:
    """Plays the lowest legal square and remembers what it was asked."""

    timed = False

    def __init__(self, give_up_at=None):
        self.seen, self.resets, self.give_up_at = [], [], give_up_at

    def reset(self, games=None):
        self.resets.append(games)

    def act(self, positions, games=None):
        self.seen.append((positions.to_play.tolist(), list(games)))
        answer = Answer.blank(len(positions))
        answer.square[:] = positions.legal.argmax(axis=1)
        answer.simulations[:], answer.seconds[:] = 7, 0.5
        for row in np.flatnonzero(positions.ply == self.give_up_at):
            answer.square[row] = FORFEIT
            answer.forfeits[int(row)] = "no more ideas"
        return answer


@pytest.mark.parametrize(("depth", "kinds"), [(1, 3), (2, 15), (3, 105), (4, 861)])
def test_openings_begin_with_every_distinct_first_square(depth, kinds):
    assert len(first_squares(depth)) == kinds
    openings = make_openings(depth, kinds + 5, seed=3)
    assert sorted(opening[0] for opening in openings[:kinds]) == first_squares(depth)
    assert all(len(opening) == 1 for opening in openings[:kinds])
    assert all(2 <= len(opening) <= RANDOM_PLIES[depth] for opening in openings[kinds:])
    assert len({tuple(opening) for opening in openings}) == kinds + 5
    assert make_openings(depth, kinds + 5, seed=3) == openings
    assert make_openings(depth, 5, seed=4) != openings[:5]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_symmetric_images_of_the_first_squares_cover_the_board_once(depth):
    images = [set(column.tolist()) for column in permuted_nodes(depth)[:, first_squares(depth)].T]
    assert sum(map(len, images)) == len(set.union(*images)) == 9**depth


def test_openings_go_on_when_a_small_board_has_no_new_ones():
    openings = make_openings(1, 200, seed=0)
    assert len(openings) == 200
    assert (positions_from_moves(1, openings).outcome == -1).all()


def test_every_opening_is_played_from_both_seats():
    spies = Spy(), Spy()
    openings = make_openings(2, 3, seed=0)
    games = play(spies, 2, openings)
    assert [(game.opening, game.seat) for game in games] == [
        (0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1),
    ]  # fmt: skip
    for game in games:
        assert game.moves[: len(openings[game.opening])] == openings[game.opening]
    # one player against itself: both seats of an opening give the same game, so points cancel
    for first, second in zip(games[::2], games[1::2], strict=True):
        assert first.moves == second.moves
        assert first.value == -second.value


@pytest.mark.parametrize("depth", DEPTHS[:3])
def test_results_belong_to_the_first_agent(depth):
    games = play((make_agent("greedy", depth), make_agent("random", depth)), depth,
                 make_openings(depth, 4, 0))  # fmt: skip
    for game in games:
        outcome = int(positions_from_moves(depth, [game.moves]).outcome[0])
        expected = 0 if outcome == DRAW else 1 if outcome == game.seat else -1
        assert game.value == expected


def test_agents_are_asked_for_their_own_turns_only_and_reset_between_games():
    spies = Spy(), Spy()
    games = play(spies, 1, make_openings(1, 3, seed=0))
    for side, spy in enumerate(spies):
        assert spy.resets[0] is None
        assert sorted(spy.resets[-1]) == list(range(6))
        for players, ids in spy.seen:
            for player, game in zip(players, ids, strict=True):
                own = games[game].seat if side == 0 else 1 - games[game].seat
                assert player == own


def test_where_the_clock_counts_an_agent_has_one_game_for_each_core(monkeypatch):
    monkeypatch.setattr(arena, "num_cores", lambda: 4)
    spies = Spy(), Spy()
    waves = [len(wave.games) for wave in play_pairs(spies, 1, make_openings(1, 5, 0))]
    assert waves == [10]
    spies[1].timed = True
    waves = [len(wave.games) for wave in play_pairs(spies, 1, make_openings(1, 5, 0))]
    assert waves == [8, 2]


def test_ctrl_c_keeps_whole_pairs_and_resets_the_agents():
    class Tired(Spy):
        def act(self, positions, games=None):
            if positions.ply.max() > 7:  # games of one opening are over by then, others not
                raise KeyboardInterrupt
            return super().act(positions, games)

    spies = Tired(), Spy()
    waves = play_pairs(spies, 1, make_openings(1, 12, seed=0))
    wave = next(waves)
    assert 0 < len(wave.games) < 24
    assert [game.seat for game in wave.games] == [X, O] * (len(wave.games) // 2)
    assert all(game.forfeit is None for game in wave.games)
    assert spies[1].resets[-1] == list(range(24))
    with pytest.raises(KeyboardInterrupt):
        next(waves)


def test_progress_tells_plies_and_results():
    told = []
    play_openings = [[0], [4]]
    waves = list(play_pairs((Spy(), Spy()), 1, play_openings, lambda *news: told.append(news)))
    plies, values = told[-1]
    assert list(plies) == [len(game.moves) for game in waves[0].games]
    assert list(values) == [game.value for game in waves[0].games]


def test_giving_up_without_a_reason_is_giving_up_too():
    class Silent(Spy):
        def act(self, positions, games=None):
            return Answer.blank(len(positions))

    wave = next(play_pairs((Silent(), Spy()), 1, [[0]]))
    assert [game.value for game in wave.games] == [-1, -1]
    assert wave.games[0].forfeit == "no reason given"


def test_giving_up_loses_and_says_why():
    wave = next(play_pairs((Spy(give_up_at=3), Spy()), 2, [[40], [0]]))
    for game in wave.games:
        gives_up = game.seat == 1  # after three plies O is to move
        assert (game.forfeit == "no more ideas") == gives_up
        if gives_up:
            assert game.value == -1
            assert len(game.moves) == 3
            kept = record(game, 2, ("spy", "other"), {"seed": 0})
            assert kept.result == "undecided"
            assert kept.metadata["forfeit"] == "no more ideas"
            assert kept.metadata["o"] == "spy"


def test_efforts_count_moves_simulations_and_seconds():
    wave = next(play_pairs((Spy(), Spy()), 1, [[0], [4]]))
    moves = sum(len(game.moves) - 1 for game in wave.games)
    assert sum(effort.moves for effort in wave.efforts) == moves
    for effort in wave.efforts:
        assert effort.simulations == 7 * effort.moves
        assert effort.seconds == 0.5 * effort.moves


def test_the_record_of_a_game_reads_back():
    game = play((make_agent("random", 2), make_agent("random", 2, seed=1)), 2, [[40]])[1]
    kept = GameRecord.from_json(record(game, 2, ("a", "b"), {"seed": 0}).to_json())
    assert kept.moves == game.moves
    assert (kept.metadata["x"], kept.metadata["o"]) == ("b", "a")
    outcome = int(positions_from_moves(2, [game.moves]).outcome[0])
    assert kept.result == NAMES[outcome]


def test_an_illegal_answer_of_an_agent_is_an_error():
    class Wrong(Spy):
        def act(self, positions, games=None):
            answer = super().act(positions, games)
            answer.square[:] = 0
            return answer

    with pytest.raises(ValueError, match="square 0"):
        play((Wrong(), Spy()), 1, [[0]])


def test_matches_repeat_with_their_seed_whatever_the_wave():
    def moves(openings):
        agents = make_agent("uct:20", 2, seed=5), make_agent("random", 2, seed=6)
        return [game.moves for game in play(agents, 2, openings)]

    openings = make_openings(2, 4, seed=1)
    assert moves(openings) == moves(openings)
    assert moves(openings)[:4] == moves(openings[:2])
