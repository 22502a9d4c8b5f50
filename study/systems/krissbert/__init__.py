"""KRISSBERT: pairs of mentions, prototypes, and its cross-attention."""
