"""What the agent said, did and was shown: transcripts of every known harness, read into one message model."""
