"""How much memory a program needs."""

import multiprocessing
import os
from pathlib import Path


def memory() -> float | None:
    """MiB that this process and those that it started hold; None where there is no telling (not
    on Linux).

    Without the pages of files, such as libraries and the replay, which the system drops when it
    needs room.
    """
    processes = [os.getpid(), *(child.pid for child in multiprocessing.active_children())]
    held = 0
    try:
        for pid in processes:
            for line in Path(f"/proc/{pid}/status").read_text().splitlines():
                if line.startswith(("RssAnon:", "RssShmem:")):
                    held += int(line.split()[1])  # KiB
    except OSError:
        return None
    return held / 1024 if held else None
