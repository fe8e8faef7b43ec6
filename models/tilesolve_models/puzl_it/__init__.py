"""Puzl It: picture cards, connections, stealing, and the Blocker."""
