"""Search guided by an evaluator: Gumbel AlphaZero and PUCT, all games of a batch in lockstep.

Nothing here knows of networks: an `Evaluator` gives logits and values (`evaluator`).
"""
