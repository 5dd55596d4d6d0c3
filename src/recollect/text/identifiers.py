"""Things written for machines inside prose: addresses, paths, codes, versions, code symbols."""

from __future__ import annotations

import re

# One of these stands in everything the long pattern finds; most sentences have none.
_HINT = re.compile(r"[/_@`:]|--|\w\.\w|\(\)|\d|[a-z][A-Z]")
_IDENTIFIER = re.compile(
    r"""
      \b[a-z][a-z0-9+.\-]{0,19}://[^\s<>"'`，。）]+[^\s<>"'`，。）.,;:!?)\]]   # address on the web
    | [\w.+\-]{1,64}@[\w\-]+(?:\.[\w\-]+)+                                    # mail address
    | `[^`\n]{1,64}`                                                          # marked as code
    | (?<![\w-])--[A-Za-z][\w\-]+                                             # command-line option
    | (?<![\w/.:])(?:~|\.{1,2})?/[A-Za-z0-9_.{}\-]+(?:/[\w.{}\-]+)*           # path from a root
    | \b[\w.\-]+(?:/[\w.\-]+){2,}                                             # longer relative path
    | \b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b                                    # IPv4
    | \bv?\d+\.\d+\.\d+[\w.\-]*\b | \bv\d+(?:\.\d+)*\b                        # version
    | \b[A-Za-z_]\w*(?:::\w+)+                                                # Rust and C++ names
    | \b[A-Za-z_][\w\-]*(?:\.[a-z_]\w*)+(?:\(\))?                             # dotted name, host, file
    | \b[A-Za-z_]\w*\(\)                                                      # call
    | \b[A-Za-z0-9]*_\w+\b                                                    # snake_case
    | \b[a-z]+[A-Z][A-Za-z0-9]*\b | \b[A-Z][a-z]+[A-Z][A-Za-z0-9]*\b          # camelCase, PascalCase
    | \b[A-Z]{1,10}-\d+\b | \b[A-Z]{1,6}\d{2,}[A-Z0-9]*\b                     # TICKET-123, E0427
    | \b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b                     # commit, hash
    """,
    re.VERBOSE | re.ASCII,
)


def find_identifiers(text: str) -> list[tuple[int, str]]:
    """Position and text of each identifier, in order; quotes around code are taken off."""
    if not _HINT.search(text):
        return []
    found = []
    for match in _IDENTIFIER.finditer(text):
        quoted = match[0].startswith("`")
        written = match[0].strip("`").rstrip(".,-")
        if written:
            found.append((match.start() + quoted, written))
    return found
