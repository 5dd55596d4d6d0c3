"""How do other libraries do the same work? Each runs in a process and an environment of its own, beside recollect."""
