"""What holds now about people and things? `fetch.py` reads it from the store; the other modules are pure."""
