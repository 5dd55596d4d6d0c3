"""The MCP server: tools, resources and a prompt for models, over the Model Context Protocol.

`tools.py` defines the tools, `answers.py` their answers, and `server.py` answers requests. `stdio.py` and `http.py` are
the two transports. `clients.py` knows where client programs keep their settings, and `install.py` changes them.
Nothing outside this folder imports the `mcp` package.
"""
