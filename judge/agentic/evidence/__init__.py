"""What the agentic judge is shown of a case, as a folder of small files."""
