"""CoSiNES, and the graph baseline of its tables."""
