"""How does a model use a memory? Tools, resources and a prompt over the Model Context Protocol.

`tools.py` is what a model can do, `answers.py` what it gets back, `server.py` puts both on the wire; `stdio.py` and
`http.py` are the two wires. `clients.py` knows where programs keep their settings, and `install.py` writes there.
Nothing outside this folder imports the `mcp` package.
"""
