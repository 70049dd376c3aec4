"""How results are shown: for people, and in the formats that other programs read."""
