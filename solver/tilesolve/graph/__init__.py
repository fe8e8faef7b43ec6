"""State graphs: searches over states and moves that know no game."""
