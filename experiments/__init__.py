"""Programs: play matches, measure, train, and publish what came out."""

import os

# An idle OpenMP thread of torch spins for milliseconds by default, on a core that the search's
# own threads could use meanwhile. Read when torch is loaded.
os.environ.setdefault("GOMP_SPINCOUNT", "2000")
