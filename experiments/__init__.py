"""Programs to run: benchmarks so far."""
