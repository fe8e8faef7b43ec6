"""The New-Year picture puzzle: turn up cards, remember them, complete the picture."""
