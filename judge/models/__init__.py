"""Language models that judges ask: who offers them, what they cost, how they are called, what to do when they fail."""
