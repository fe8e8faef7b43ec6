"""Certificates of a no, and the checker that trusts no engine."""
