"""How are HTTP requests sent? One HTTP stack for clients, embedders and extractors."""
