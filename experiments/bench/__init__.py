"""Benchmarks: `python -m experiments.bench SUITE [json=true] [seconds=2]`."""
