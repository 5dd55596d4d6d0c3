"""What the SQLite and the PostgreSQL store do in the same shape. A `Dialect` holds what differs."""
