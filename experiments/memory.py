"""How much memory a program holds."""

import multiprocessing
import os
from pathlib import Path


def memory() -> float | None:
    """MiB that this process and those that it started hold; None where there is no telling (not
    on Linux)."""
    processes = [os.getpid(), *(child.pid for child in multiprocessing.active_children())]
    try:
        pages = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in processes)
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
