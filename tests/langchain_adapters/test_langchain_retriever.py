"""The retriever: the places of its passages, and its use in a chain."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from harbour import QUESTION, QUOTE, TEXTS, Watcher, make_investigator
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

from investigator import Investigator
from investigator.errors import QuestionError
from investigator.langchain import InvestigatorRetriever


def test_a_document_says_where_it_stands(investigator: Investigator) -> None:
    (best,) = InvestigatorRetriever(investigator=investigator, k=1).invoke(QUESTION)
    where = best.metadata
    assert where.keys() == {"source", "page", "line", "start", "end", "score", "holds_address", "speaks_to_model"}
    assert (where["source"], where["page"]) == ("harbour.md", None)
    assert TEXTS["harbour.md"][where["start"] : where["end"]] == best.page_content
    assert TEXTS["harbour.md"][: where["start"]].count("\n") + 1 == where["line"]
    assert QUOTE in best.page_content
    assert 0 < where["score"] <= 1


def test_the_best_come_first_and_no_two_have_one_id(investigator: Investigator) -> None:
    documents = InvestigatorRetriever(investigator=investigator).invoke(QUESTION)
    scores = [document.metadata["score"] for document in documents]
    assert scores == sorted(scores, reverse=True)
    assert len({document.id for document in documents}) == len(documents) == 3


def test_one_call_may_ask_for_another_number_also_later(investigator: Investigator) -> None:
    retriever = InvestigatorRetriever(investigator=investigator, k=3)
    assert len(retriever.invoke(QUESTION, k=2)) == 2
    assert len(asyncio.run(retriever.ainvoke(QUESTION, k=1))) == 1


def test_a_new_file_is_found_by_the_next_call(folder: Path) -> None:
    retriever = InvestigatorRetriever(investigator=make_investigator(folder), k=1)
    assert retriever.invoke("lighthouse keeper") == []
    (folder / "lights.md").write_text("The lighthouse keeper is called Xoana.\n", encoding="utf-8")
    assert retriever.invoke("lighthouse keeper")[0].metadata["source"] == "lights.md"


def test_calls_side_by_side_wait_for_each_other(investigator: Investigator) -> None:
    other = make_investigator(investigator.folder)  # the same workspace by another object
    retrievers = [InvestigatorRetriever(investigator=i, k=1) for i in (investigator, other)] * 3
    with ThreadPoolExecutor(6) as pool:
        documents = list(pool.map(lambda retriever: retriever.invoke(QUESTION), retrievers))
    assert [documents[0].metadata["source"] for documents in documents] == ["harbour.md"] * 6


def test_an_empty_query_is_an_error(investigator: Investigator) -> None:
    with pytest.raises(QuestionError, match="empty"):
        InvestigatorRetriever(investigator=investigator).invoke(" ")


def test_it_is_the_first_step_of_a_chain(investigator: Investigator) -> None:
    def joined(documents: list[Document]) -> str:
        return "\n".join(f"{document.metadata['source']}: {document.page_content}" for document in documents)

    heard: list[str] = []

    def overheard(prompt: object) -> object:
        heard.append(str(prompt))
        return prompt

    prompt = ChatPromptTemplate.from_template("Use this only:\n{context}\n\nQuestion: {question}")
    retriever = InvestigatorRetriever(investigator=investigator, k=1)
    chain = (
        {"context": retriever | joined, "question": RunnablePassthrough()}
        | prompt
        | overheard
        | FakeListChatModel(responses=["14 metres."])
        | StrOutputParser()
    )
    watcher = Watcher()
    assert chain.invoke(QUESTION, {"callbacks": [watcher]}) == "14 metres."
    assert QUOTE in heard[0]
    assert len(watcher.parents_of("retriever")) == 1
    assert chain.batch([QUESTION, QUESTION]) == ["14 metres."] * 2
