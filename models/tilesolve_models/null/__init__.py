"""The smallest complete game, always tested, to be copied."""
