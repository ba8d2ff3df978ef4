"""Wraps an Investigator as LangChain components: a retriever, a tool, and a step of a chain.

    from investigator import Investigator
    from investigator.langchain import InvestigatorTool
    from langchain.agents import create_agent

    agent = create_agent("openai:gpt-5-mini", tools=[InvestigatorTool(investigator=Investigator("folder"))])

Importing this package loads langchain-core.
"""

from __future__ import annotations

from investigator.langchain.retriever import InvestigatorRetriever
from investigator.langchain.runnable import InvestigatorRunnable, Request
from investigator.langchain.tool import InvestigatorTool

__all__ = ["InvestigatorRetriever", "InvestigatorRunnable", "InvestigatorTool", "Request"]
