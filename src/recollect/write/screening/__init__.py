"""May a model see this text? Finds injected instructions and secrets in text from untrusted writers."""
