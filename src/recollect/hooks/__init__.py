"""How does an assistant use a memory without being asked? Its hooks start `recollect hooks run EVENT`.

`run.py` is what a hook runs, `assistants.py` knows the assistants, `install.py` changes their settings, and
`state.py` says if hooks are paused.
"""
