"""Another program as an agent, over the line protocol of CodinGame's Ultimate Tic-Tac-Toe."""
class ProcessAgent:
    def __init__(self, depth, command): raise ValueError('todo')
