"""How are other servers asked? One HTTP stack for clients, embedders and extractors."""
