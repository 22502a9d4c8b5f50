"""PEL's bi-encoder, trained or on frozen vectors."""
