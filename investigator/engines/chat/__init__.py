"""Any chat model that LangChain knows, as an engine."""
