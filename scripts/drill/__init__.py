"""The drill: kills, damages and starves stores in seeded ways, and counts what survives. See `__main__.py`."""
