"""Serves a memory over HTTP and MCP: who is calling, what they may see, and the calls they may make."""
