"""Paired simulation of games by policy, with standard errors."""
