"""Many sheets rated: which they are, how each is rated, where the results go, what they say."""
