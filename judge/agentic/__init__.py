"""The agentic judge: a confined sub-agent that reads staged evidence under a fixed rubric."""
