"""Solver, rule checker and hint engine for placement games and puzzles."""
