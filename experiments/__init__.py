"""Programs: play matches, measure, train, and publish what came out."""

import ctypes
import os

# An idle OpenMP thread of torch spins for milliseconds by default, on a core that the search's
# own threads could use meanwhile. Read when torch is loaded.
os.environ.setdefault("GOMP_SPINCOUNT", "2000")

# glibc returns large freed blocks to the system, which hands out zeroed pages again: a third of
# the learner's time. M_MMAP_MAX and M_TRIM_THRESHOLD of its malloc.h make it keep them.
if os.name == "posix" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)):
    mallopt(-4, 0)
    mallopt(-1, 2**31 - 1)
