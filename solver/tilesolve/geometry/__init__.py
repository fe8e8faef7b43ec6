"""Lattices, shapes, sheets and pieces: all that knows where a cell is."""
