"""Configuration files, read by `experiments` alone."""
