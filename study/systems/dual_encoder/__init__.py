"""The dual encoder: collective, one mention a pass, and end to end."""
