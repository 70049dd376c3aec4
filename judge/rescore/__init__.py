"""Rescoring: every run of a bundle judged by several judges in one pass, going on where it stopped."""
