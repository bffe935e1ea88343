"""Kernels release the GIL: threads are enough to keep all cores busy."""

import functools
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def num_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def _executor(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="search")


def parallel(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int
) -> list[Result]:
    """`function` of each item, on up to `threads` cores; the results in the items' order.

    Calls must not nest: a function that waits for others would hold a thread of the pool.
    """
    items = list(items)
    if threads == 1 or len(items) <= 1:
        return [function(item) for item in items]
    return list(_executor(threads).map(function, items))
