"""Systems of no paper of the five: names, strings, memory, and published linkers."""
