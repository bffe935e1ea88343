"""Agents that play Recursive Super Tic-Tac-Toe."""
