"""Sliding-block puzzles: Klotski, Rush Hour, the 15-puzzle and their kin."""
