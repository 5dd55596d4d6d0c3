"""May this text be seen? Injected instructions and secrets in text from untrusted writers."""
