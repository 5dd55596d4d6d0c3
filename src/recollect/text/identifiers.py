"""Finds identifiers in prose: addresses, paths, codes, versions and code symbols."""

from __future__ import annotations

import re

# Everything the long pattern finds contains one of these. Most sentences contain none.
_HINT = re.compile(r"[/_@`:]|--|\w\.\w|\(\)|\d|[a-z][A-Z]")
_IDENTIFIER = re.compile(
    r"""
      \b[a-z][a-z0-9+.\-]{0,19}://[^\s<>"'`，。）]{1,2000}(?<![.,;:!?)\]])    # address on the web
    | (?<![\w.+\-])[\w.+\-]{1,64}@[\w\-]{1,63}(?:\.[\w\-]{1,63})+          # mail address
    | `[^`\n]{1,64}`                                                       # marked as code
    | (?<![\w-])--[A-Za-z][\w\-]+                                          # command-line option
    | (?<![\w/.:])(?:~|\.{1,2})?/[A-Za-z0-9_.{}\-]+(?:/[\w.{}\-]+)*        # path from a root
    | (?<![\w.\-/])[\w.\-]{1,64}(?:/[\w.\-]{1,64}){2,16}                   # longer relative path
    | \b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b                                 # IPv4
    | \bv?\d+\.\d+\.\d+[\w.\-]*\b | \bv\d+(?:\.\d+)*\b                     # version
    | \b[A-Za-z_]\w*(?:::\w+){1,16}                                        # Rust and C++ names
    | (?<![\w\-])[A-Za-z_][\w\-]{0,63}(?:\.[a-z_]\w*){1,16}(?:\(\))?       # dotted name, host, file
    | \b[A-Za-z_]\w*\(\)                                                   # call
    | \b[A-Za-z0-9]{0,64}_\w+\b                                            # snake_case
    | \b[a-z]{1,64}[A-Z][A-Za-z0-9]*\b | \b[A-Z][a-z]+[A-Z][A-Za-z0-9]*\b  # camelCase, PascalCase
    | \b[A-Z]{1,10}-\d+\b | \b[A-Z]{1,6}\d{2,}[A-Z0-9]*\b                  # TICKET-123, E0427
    | \b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b                  # commit, hash
    """,
    re.VERBOSE | re.ASCII,
)


def find_identifiers(text: str) -> list[tuple[int, str]]:
    """Position and text of each identifier, in order, without the backticks around code."""
    if not _HINT.search(text):
        return []
    found = []
    for match in _IDENTIFIER.finditer(text):
        quoted = match[0].startswith("`")
        written = match[0].strip("`").rstrip(".,-")
        if written:
            found.append((match.start() + quoted, written))
    return found
