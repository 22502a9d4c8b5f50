"""What is shown of the records: the papers' numbers beside ours, claims and figures."""
