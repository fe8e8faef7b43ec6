"""The games that come with tilesolve, one folder each."""
