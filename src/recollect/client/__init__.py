"""How is a memory used over HTTP, or awaited? The façade's methods with the same signatures, types and errors."""
