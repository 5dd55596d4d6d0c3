"""One module per library, with a `Store`. `../worker.py` runs each where only its library is installed."""
