"""CP-SAT for placement problems; beside `tilesolve.placement.linear` all that imports ortools."""
