"""Any chat model that LangChain supports, as an engine."""
