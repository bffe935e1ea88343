"""Self-play: what is recorded is what happened."""

import numpy as np
import pytest

from agents.alphazero.encoding import DRAWN, MINE, THEIRS, encode
from agents.alphazero.replay import DRAW, LOSS, UNKNOWN, WIN, encoding_of, policies, values
from agents.alphazero.searchers import LocalSearcher
from agents.alphazero.selfplay import SelfPlay, SelfPlayConfig
from agents.search.evaluator import UniformEvaluator
from agents.search.gumbel import GumbelRules
from rstt_env import outcome as outcomes
from tests.conftest import DEPTHS
from tests.test_search import TableEvaluator


def config(**changes):
    plain = {
        "games": 6,
        "random_plies": 0,
        "sampled_plies": 0,
        "stagger": 0.0,
        "horizon": None,
        "fast_share": 0.0,
        "fast_simulations": 2,
    }
    return SelfPlayConfig(**(plain | changes))


def selfplay(depth=1, simulations=6, seed=0, **changes):
    return SelfPlay(depth, config(**changes), simulations, seed)


def by(evaluator):
    return LocalSearcher(evaluator, GumbelRules())


def test_every_searched_choice_of_a_game_is_recorded_once_with_its_result():
    """Twenty games of depth 1 are re-enacted from what the rounds showed."""
    play, evaluator = selfplay(games=1), TableEvaluator()
    searched, games, numbers = [], 0, set()
    for _ in range(100):
        round_ = play.round(by(evaluator))
        searched.append(round_)
        if len(round_.outcomes):
            games += 1
            numbers |= set(round_.records["game"].tolist())
            assert len(numbers) == games
            assert len(round_.records) == len(searched)
            outcome = int(round_.outcomes[0])
            for one, record in zip(searched, round_.records, strict=True):
                np.testing.assert_equal(
                    tuple(encoding_of(np.array([record]))),
                    tuple(encode(one.positions.state, np.array([0]))),
                )
                np.testing.assert_allclose(
                    policies(np.array([record])), one.result.policy, atol=1e-4
                )
                np.testing.assert_allclose(values(np.array([record])), one.result.value, atol=1e-4)
                mover = int(one.positions.to_play[0])
                wanted = DRAW if outcome == outcomes.DRAW else WIN if outcome == mover else LOSS
                assert record["outcome"] == wanted
            assert round_.plies[0] >= len(searched)
            searched = []
        else:
            assert not len(round_.records)
    assert games > 10


def test_without_random_plies_games_begin_at_the_beginning_and_forced_choices_are_skipped():
    play = selfplay(games=4)
    seen = [play.round(by(UniformEvaluator())).positions for _ in range(30)]
    assert (seen[0].ply == 0).all()
    for positions in seen:
        assert (positions.legal_children.sum(axis=1) > 1).all()
        assert (positions.outcome == outcomes.UNDECIDED).all()


@pytest.mark.parametrize("depth", DEPTHS)
def test_first_games_are_staggered(depth):
    play = selfplay(depth, simulations=1, games=40 if depth < 4 else 8, stagger=0.6)
    plies = play.round(by(UniformEvaluator())).positions.ply
    assert plies.max() > 0.3 * 9**depth
    assert len(set(plies.tolist())) > (5 if depth == 1 else len(plies) // 2)
    assert plies.max() <= 0.6 * 9**depth + depth


def test_random_plies_differ_between_games():
    play = selfplay(2, games=40, random_plies=4, simulations=1)
    positions = play.round(by(UniformEvaluator())).positions
    assert set(positions.ply.tolist()) == {0, 1, 2, 3, 4}
    assert len(set(positions.keys.tolist())) > 25


def test_early_choices_are_drawn_from_the_policy_and_later_ones_are_the_best():
    sampled, best = selfplay(2, games=300, sampled_plies=1), selfplay(2, games=300)
    for play, follows in ((best, 1.0), (sampled, None)):
        round_ = play.round(by(TableEvaluator()))
        after = play.round(by(TableEvaluator())).positions
        taken = after.focus - 1  # the first choice, at the root, moved the focus down
        share = float((taken == round_.result.digit).mean())
        expected = float(round_.result.policy[np.arange(300), round_.result.digit].mean())
        if follows is None:
            assert share == pytest.approx(expected, abs=0.1)
            assert share < 0.95
        else:
            assert share == follows


def test_with_a_horizon_positions_come_out_early_with_a_later_value_for_the_right_player():
    horizon = 5
    play, evaluator = selfplay(2, games=3, horizon=horizon), TableEvaluator()
    shown = []
    for number in range(20):
        round_ = play.round(by(evaluator))
        shown.append(round_)
        if number < horizon or len(round_.outcomes):
            continue
        then = shown[number - horizon]
        assert (round_.records["outcome"] == UNKNOWN).all()
        same = then.positions.to_play == round_.positions.to_play
        expected = np.where(same, round_.result.value, -round_.result.value)
        np.testing.assert_allclose(values(round_.records), expected, atol=1e-4)
        np.testing.assert_allclose(policies(round_.records), then.result.policy, atol=1e-4)


def test_owners_are_those_of_the_newest_position_for_the_right_player():
    horizon, swapped = 5, np.array([0, 2, 1, 3])
    play, evaluator, shown = selfplay(2, games=3, horizon=horizon), TableEvaluator(), []
    for number in range(40):
        round_ = play.round(by(evaluator))
        shown.append(round_)
        if number < horizon:
            continue
        if len(round_.outcomes):
            break
        status = encode(round_.positions.state, np.arange(3)).status
        same = shown[number - horizon].positions.to_play == round_.positions.to_play
        expected = np.where(same[:, None], status, swapped[status])
        np.testing.assert_array_equal(round_.records["owners"], expected)
    assert status.any()


def test_owners_at_the_end_of_a_game_are_those_of_its_last_boards():
    play, evaluator = selfplay(2, games=1), UniformEvaluator()
    rounds = []
    while not rounds or not len(rounds[-1].outcomes):
        rounds.append(play.round(by(evaluator)))
    records, outcome = rounds[-1].records, int(rounds[-1].outcomes[0])
    movers = np.array([int(round_.positions.to_play[0]) for round_ in rounds])
    wanted = np.full(len(records), DRAWN) if outcome == outcomes.DRAW else np.where(
        movers == outcome, MINE, THEIRS
    )  # fmt: skip
    np.testing.assert_array_equal(records["owners"][:, 0], wanted)
    last = records["owners"]
    decided = records["status"] != 0
    np.testing.assert_array_equal(last[decided], records["status"][decided])  # they stay so
    assert len(np.unique(last[movers == 0], axis=0)) == 1


def test_the_end_of_a_game_with_a_horizon_has_its_result():
    play = selfplay(1, games=8, horizon=3)
    rounds = [play.round(by(TableEvaluator())) for _ in range(30)]
    records = np.concatenate([round_.records for round_ in rounds])
    games = sum(len(round_.outcomes) for round_ in rounds)
    assert 0 < (records["outcome"] != UNKNOWN).sum() <= 3 * games


def test_fast_rounds_teach_the_value_alone():
    play = selfplay(2, games=8, simulations=9, fast_share=0.5)
    fast = 0
    for _ in range(100):
        round_ = play.round(by(TableEvaluator()))
        fast += round_.fast
        assert round_.result.simulations.max() == (2 if round_.fast else 9)
        if len(round_.records):
            break
    rounds = fast / (_ + 1)
    assert 0.3 < rounds < 0.7
    without = (policies(round_.records).sum(axis=1) == 0).mean()
    assert 0.2 < without < 0.8


def test_the_same_seed_plays_the_same_games_and_a_state_goes_on_with_them():
    options = {"random_plies": 2, "sampled_plies": 4, "stagger": 0.5, "horizon": 4}
    first, second = (selfplay(2, seed=3, fast_share=0.3, **options) for _ in range(2))
    for _ in range(30):
        first.round(by(TableEvaluator()))
        second.round(by(TableEvaluator()))
    third = selfplay(2, seed=3, fast_share=0.3, **options)
    third.restore(second.state())
    for _ in range(30):
        ours, theirs = first.round(by(TableEvaluator())), third.round(by(TableEvaluator()))
        np.testing.assert_array_equal(ours.records, theirs.records)
        np.testing.assert_array_equal(ours.positions.keys, theirs.positions.keys)
    other = selfplay(2, seed=4, **options)
    assert not np.array_equal(
        other.round(by(TableEvaluator())).positions.keys,
        first.round(by(TableEvaluator())).positions.keys,
    )


@pytest.mark.parametrize(("changes", "complaint"), [
    ({"games": 0}, "selfplay.games is 0"),
    ({"horizon": 0}, "selfplay.horizon is 0"),
    ({"fast_share": 1.0}, "selfplay.fast_share is 1.0"),
])  # fmt: skip
def test_what_is_out_of_range_is_named(changes, complaint):
    with pytest.raises(ValueError, match=complaint):
        config(**changes)
