"""The request judges: a model reads the instruction and the one request that commits the task; strict or lenient."""
