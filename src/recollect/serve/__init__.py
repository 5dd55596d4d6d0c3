"""Over a wire: who is calling, what they may see, and the desk they stand at."""
