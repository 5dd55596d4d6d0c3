"""Which data are stored with a memory? Builds its terms, vectors, gist and `about` key in one place."""
