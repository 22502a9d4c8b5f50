"""Pages at work in a notebook."""
