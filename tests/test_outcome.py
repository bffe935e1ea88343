"""The one place where a value changes sides."""

import pytest

from rstt_env import DRAW, UNDECIDED, O, X
from rstt_env.outcome import outcome_value, view


@pytest.mark.parametrize(
    ("outcome", "for_x", "for_o"), [(X, 1, -1), (O, -1, 1), (DRAW, 0, 0), (UNDECIDED, 0, 0)]
)
def test_an_outcome_is_worth_its_value_to_each_side(outcome, for_x, for_o):
    assert outcome_value(outcome, X) == for_x
    assert outcome_value(outcome, O) == for_o


def test_a_value_is_negated_for_the_other_side_alone():
    assert view(0.25, X, X) == 0.25
    assert view(0.25, X, O) == -0.25
    assert view(0.25, O, O) == 0.25
    assert view(0.25, O, X) == -0.25
