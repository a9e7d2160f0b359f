"""A glass-box RAG for policy files: every step between a file and a cited answer, and what ran is what is shown."""
