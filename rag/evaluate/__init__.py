"""Retrieval and answers measured on questions whose answers are known."""
