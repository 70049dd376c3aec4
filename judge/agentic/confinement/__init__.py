"""What keeps the sub-agent to its evidence: a hook on its tools, a sandbox of the system, a gateway to the model."""
