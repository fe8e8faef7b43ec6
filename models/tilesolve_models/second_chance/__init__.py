"""Second Chance: draw tiles into a grid until neither card, nor a second chance, fits."""
