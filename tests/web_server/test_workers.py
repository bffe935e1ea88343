"""The processes that search for the web board: patience, order, and agents with less to think."""

import asyncio

import numpy as np
import pytest

from agents import make_agent
from agents.specs import Context
from experiments.play import workers as module
from experiments.play.levels import careless
from experiments.play.specs import stages
from experiments.play.thinking import Question, _Keeper
from experiments.play.workers import AgentError, BusyError, Workers
from rstt_env import Positions
from tests.playing import DYING, ENDLESS, FIRST, SLOW

pytestmark = pytest.mark.jit


def ask(workers, spec, game=0, **options):
    return workers.ask(Question(spec, 2, [40], game), **options)


def run(work, number=1, **options):
    async def whole():
        workers = Workers(number, **options)
        try:
            return await work(workers)
        finally:
            workers.close()

    return asyncio.run(whole())


def test_an_agent_without_an_end_is_ended_and_the_next_question_answered():
    async def work(workers):
        await ask(workers, FIRST)  # the process is up
        workers._patience = 0.5
        with pytest.raises(AgentError, match="no answer in"):
            await ask(workers, ENDLESS)
        workers._patience = 60
        return await ask(workers, FIRST)

    assert run(work).square[0] == 36


def test_a_process_that_dies_is_replaced():
    async def work(workers):
        with pytest.raises(AgentError, match="has ended"):
            await ask(workers, DYING)
        return await ask(workers, FIRST)

    assert run(work).square[0] == 36


def test_an_agent_s_own_error_is_passed_on():
    async def work(workers):
        with pytest.raises(AgentError, match="no agent is called 'nobody'"):
            await ask(workers, "nobody")

    run(work)


def test_moves_go_before_analyses_and_what_is_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(module, "WAITING", 3)
    order = []

    async def note(name, question):
        await question
        order.append(name)

    async def work(workers):
        async with asyncio.TaskGroup() as group:
            group.create_task(note("first", ask(workers, SLOW)))
            await asyncio.sleep(0)
            for name in ("analysis", "another"):
                group.create_task(note(name, ask(workers, FIRST)))
            group.create_task(note("move", ask(workers, FIRST, urgent=True)))
            await asyncio.sleep(0)
            with pytest.raises(BusyError):
                await ask(workers, FIRST)

    run(work)
    assert order == ["first", "move", "analysis", "another"]


def test_who_no_longer_waits_gives_way():
    async def work(workers):
        first = asyncio.create_task(ask(workers, SLOW))
        await asyncio.sleep(0)
        given_up = asyncio.create_task(ask(workers, ENDLESS))
        await asyncio.sleep(0)
        given_up.cancel()
        first.cancel()  # its search goes on, and the next one waits for it
        return await ask(workers, FIRST)

    assert run(work).square[0] == 36


def test_one_asker_has_one_question_answered_at_a_time():
    async def work(workers):
        first = asyncio.create_task(ask(workers, SLOW, asker="me"))
        await asyncio.sleep(0)
        first.cancel()  # and goes on to be searched
        mine = asyncio.create_task(ask(workers, FIRST, asker="me"))
        await asyncio.sleep(0.1)
        others = await ask(workers, FIRST, asker="you")
        assert not mine.done()
        await mine
        return others

    assert run(work, number=2).square[0] == 36


def test_no_process_is_lost_to_those_who_give_up_at_any_moment():
    async def work(workers):
        await ask(workers, FIRST)
        for _ in range(300):
            asked = [asyncio.create_task(ask(workers, FIRST)) for _ in range(3)]
            await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            for task in asked:
                task.cancel()
        return await ask(workers, FIRST)

    assert run(work).square[0] == 36


def test_a_process_keeps_something_of_few_games_only():
    keeper = _Keeper()
    for game in range(6):
        keeper.answer(Question("uct:50:reuse", 2, [40], game))
    assert sorted(keeper.agent("uct:50:reuse", 2)._kept) == [2, 3, 4, 5]


def test_a_game_comes_back_to_the_process_that_knows_it():
    async def work(workers):
        await asyncio.gather(ask(workers, FIRST, game=1), ask(workers, FIRST, game=2))
        known = {worker.game: worker for worker in workers._idle}
        await ask(workers, FIRST, game=1)
        await ask(workers, FIRST, game=1)
        return {worker.game: worker for worker in workers._idle} == known

    assert run(work, number=2)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("uct:1600:solver", [f"uct:{n}:solver" for n in (100, 200, 400, 800, 1600)]),
        ("uct:3", ["uct:1", "uct:2", "uct:3"]),
        ("alphabeta:3", ["alphabeta:1", "alphabeta:2", "alphabeta:3"]),
        ("alphabeta:1s", [f"alphabeta:{t}s" for t in ("0.0625", "0.1250", "0.2500", "0.5000", 1)]),
        ("uct:0.001s", ["uct:0.001s"]),
        ("az:a:b:64", [f"az:a:b:{n}" for n in (4, 8, 16, 32, 64)]),
        ("az:a:32:bfloat16", [f"az:a:{n}:bfloat16" for n in (2, 4, 8, 16, 32)]),
        ("az:a:0", ["az:a:0"]),
        ("random", ["random"]),
        ("own:a:b:uct:5", ["own:a:b:uct:5"]),
    ],
)
def test_an_analysis_goes_through_growing_budgets(spec, expected):
    assert stages(spec) == expected


def test_the_careless_agent_is_careless_in_its_share_of_positions():
    positions = Positions(2, 2000)
    agent = careless("0.25:own:tests.playing:slow:0", Context(2, 1, 1))
    answer = agent.act(positions, range(2000))
    random = answer.square != make_agent(FIRST, 2).act(positions[[0]]).square[0]
    assert 0.2 < random.mean() < 0.3
    again = careless("0.25:own:tests.playing:slow:0", Context(2, 1, 1)).act(
        positions[:1], [1999]
    )  # which doesn't depend on the row
    np.testing.assert_array_equal(again.square, answer.square[1999:])
