"""What the agentic judge may ask of the evidence beside reading its files."""
