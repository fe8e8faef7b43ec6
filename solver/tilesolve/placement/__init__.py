"""Placement problems and the engines that answer them."""
