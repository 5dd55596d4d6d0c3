"""What is stored with a memory? Its words, its vectors and what it states, put together in one place."""
