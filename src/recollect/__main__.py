"""`python -m recollect` is the command `recollect`."""

from .cli import main

if __name__ == "__main__":
    main()
