"""Texts to vectors."""

from .tfidf import TfidfEncoder
from .transformer import TransformerEncoder, model_folder

__all__ = ["TfidfEncoder", "TransformerEncoder", "model_folder"]
