"""5 Minuten Puzzle: a die chooses the pieces, typed polyhexes fill the sheet."""
