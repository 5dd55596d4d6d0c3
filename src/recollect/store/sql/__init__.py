"""The code that the SQLite and PostgreSQL stores share. A `Dialect` contains the differences."""
