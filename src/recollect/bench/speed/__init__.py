"""How fast is a store of a given size? `run.py` builds one and times every kind of call."""
