"""Ways for tests to look at a store from outside."""

import subprocess
import sys

import apsw


def everything(path):
    """Every row of every table of the file, the index's own among them."""
    file = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        names = [name for (name,) in file.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
        return {name: sorted(file.execute(f'SELECT * FROM "{name}"').fetchall(), key=repr) for name in names}
    finally:
        file.close()


def texts(found):
    """The texts of memories or of a recall's hits, in order."""
    return [getattr(item, "memory", item).text for item in getattr(found, "hits", found)]


def python(script, *arguments, **environment):
    """Runs a script in a process of its own; its standard output, or the test fails with what it said."""
    import os

    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
