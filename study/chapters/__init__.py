"""Chapters: what is run, planned and at hand."""
