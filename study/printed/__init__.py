"""The papers' printed numbers."""
