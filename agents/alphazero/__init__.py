"""Learning: networks, self-play, replay, the learner and its checkpoints (PyTorch)."""
