"""Research agents that investigate a folder of documents."""
