"""Polyform puzzles: pieces into a sheet of squares, hexagons or triangles."""
