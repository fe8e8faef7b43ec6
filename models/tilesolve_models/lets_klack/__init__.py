"""LET'S KLACK: blocks that jump over cards until each lies on its own."""
