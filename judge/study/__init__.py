"""Studies of judges: against labels, against each other."""
