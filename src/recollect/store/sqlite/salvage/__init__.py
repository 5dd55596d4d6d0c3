"""Reads a damaged SQLite file page by page, without SQLite. A page that can't be read costs only its own rows.

The file format is documented at https://sqlite.org/fileformat2.html.
"""
