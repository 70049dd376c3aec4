"""The verdict store of a bundle of runs: what was judged, by whom, on which evidence; nothing is ever overwritten."""
