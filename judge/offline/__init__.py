"""The offline judge: deterministic, free, without a network; it abstains rather than guess."""
