"""LangChain's own standard tests of retrievers and tools."""

from __future__ import annotations

from typing import Any

import pytest
from harbour import QUESTION

from investigator import Investigator
from investigator.langchain import InvestigatorRetriever, InvestigatorTool

pytest.importorskip("langchain_tests", reason="langchain-tests is not installed")

from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool
from langchain_tests.integration_tests import RetrieversIntegrationTests, ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests


class _OverTheHarbour:
    harbour: Investigator

    @pytest.fixture(autouse=True)
    def _ask_the_harbour(self, investigator: Investigator) -> None:
        self.harbour = investigator


class TestRetriever(_OverTheHarbour, RetrieversIntegrationTests):
    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return InvestigatorRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"investigator": self.harbour}

    @property
    def retriever_query_example(self) -> str:
        return "harbour ferry wind"


class _Tool(_OverTheHarbour):
    @property
    def tool_constructor(self) -> type[BaseTool]:
        return InvestigatorTool

    @property
    def tool_constructor_params(self) -> dict[str, Any]:
        return {"investigator": self.harbour}

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"question": QUESTION}


class TestTool(_Tool, ToolsUnitTests):
    pass


class TestToolCalls(_Tool, ToolsIntegrationTests):
    pass
