"""Alignment: agent steps to reference steps, and the fields of the terminal payload to what binds them."""
