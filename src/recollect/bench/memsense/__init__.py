"""MemSense's page on retrieval: its constants, its formulas step by step, and its three ways to store conversations."""
