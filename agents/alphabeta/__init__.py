"""Alpha-beta."""
class AlphaBetaAgent:
    def __init__(self, depth, budget, *, threads=None): raise ValueError('todo')
