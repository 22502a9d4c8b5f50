"""The build of the book: run every page, stage the site, render it, and look whether it is whole."""
