"""Neutral pictures, and their drawing as text and SVG."""
