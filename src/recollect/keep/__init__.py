"""Keeping a memory healthy: taking it elsewhere, checking it, giving it another embedder."""
