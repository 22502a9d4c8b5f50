"""The study: chapters, pages, tables, figures, claims and the book, made with :mod:`benchlib`."""
