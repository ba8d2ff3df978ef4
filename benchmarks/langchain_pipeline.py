"""Measures the usual LangChain pipeline over a folder, for comparison in `ingest.py`. Runs in a separate environment.

    python -m venv langchain-venv
    langchain-venv/bin/pip install torch==2.13.0 langchain-community langchain-huggingface langchain-chroma \\
        langchain-text-splitters sentence-transformers pypdf docx2txt beautifulsoup4 lxml chardet jq reportlab

    langchain-venv/bin/python benchmarks/langchain_pipeline.py FOLDER --model MODEL_DIR --store DIR --question "..."

(pdf_folder.py needs reportlab.) Each file is read by LangChain's loader for its type, split by
RecursiveCharacterTextSplitter (1,000 characters with an overlap of 200), embedded by HuggingFaceEmbeddings in its
default batches of 32, and stored by `Chroma.from_documents`; then one `similarity_search` (k=4) follows. Prints one
JSON object. Files that a loader cannot read are skipped, as with `DirectoryLoader(silent_errors=True)`. XML is read by
the HTML loader with lxml's XML parser, because its mark-up would be indexed if it were read as text.
"""

from __future__ import annotations

import argparse
import json
import logging
import time
import warnings
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langchain_chroma import Chroma
    from langchain_core.document_loaders import BaseLoader
    from langchain_core.documents import Document


_PACKAGES = (
    "langchain-core",
    "langchain-community",
    "langchain-chroma",
    "chromadb",
    "sentence-transformers",
    "torch",
    "pypdf",
)


def loader(file: Path) -> BaseLoader:
    """Return the usual loader for a file type; the text loader if there is none."""
    from langchain_community import document_loaders as loaders

    name, suffix = str(file), file.suffix.lower()
    if suffix == ".pdf":
        return loaders.PyPDFLoader(name)
    if suffix == ".docx":
        return loaders.Docx2txtLoader(name)
    if suffix in (".html", ".htm"):
        return loaders.BSHTMLLoader(name, open_encoding="utf-8")
    if suffix == ".xml":
        return loaders.BSHTMLLoader(name, open_encoding="utf-8", bs_kwargs={"features": "xml"})
    if suffix == ".csv":
        return loaders.CSVLoader(name, autodetect_encoding=True)
    if suffix == ".json":
        return loaders.JSONLoader(name, jq_schema=".", text_content=False)
    return loaders.TextLoader(name, autodetect_encoding=True)


def load(folder: Path) -> tuple[list[Document], list[str]]:
    """Return the documents loaded from all visible files (one for each page of a PDF), and the files that failed."""
    found: list[Document] = []
    failed: list[str] = []
    for file in sorted(folder.rglob("*")):
        inside = file.relative_to(folder)
        if not file.is_file() or any(part.startswith(".") for part in inside.parts):
            continue
        try:
            pages = loader(file).load()
        except Exception:  # noqa: BLE001 - loaders raise any exception; continue with the other files
            failed.append(inside.as_posix())
            continue
        for page in pages:
            page.metadata = {"source": inside.as_posix(), "page": page.metadata.get("page", 0)}
        found += pages
    return found, failed


def search(store: Chroma, questions: list[str], depth: int) -> list[list[list[str]]]:
    """Return [path, text] of the nearest chunks for each question."""
    return [
        [[found.metadata["source"], found.page_content] for found in store.similarity_search(question, k=depth)]
        for question in questions
    ]


def main() -> None:
    """Parse the arguments, run the pipeline and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", required=True, help="folder of the embedding model")
    parser.add_argument("--store", required=True, help="empty folder for Chroma")
    parser.add_argument("--question", required=True)
    parser.add_argument("--questions", type=Path, help="JSON list of further questions, asked after the measurement")
    parser.add_argument("--depth", type=int, default=10, help="number of chunks for each of these questions")
    parser.add_argument("--began", type=float, default=time.monotonic(), help="time.monotonic() at the start")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    marks = [("start", arguments.began)]

    def done(stage: str) -> None:
        marks.append((stage, time.monotonic()))

    import torch
    from langchain_chroma import Chroma
    from langchain_huggingface import HuggingFaceEmbeddings
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    done("import")
    pages, failed = load(arguments.folder)
    done("load")
    chunks = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200).split_documents(pages)
    done("split")
    embeddings = HuggingFaceEmbeddings(model_name=arguments.model, encode_kwargs={"normalize_embeddings": True})
    done("model")
    store = Chroma.from_documents(chunks, embeddings, persist_directory=arguments.store)
    done("embed_and_store")
    search(store, [arguments.question], 4)
    done("search")
    further = json.loads(arguments.questions.read_text("utf-8")) if arguments.questions else []
    result = {
        "stages": {stage: now - before for (_, before), (stage, now) in pairwise(marks)},
        "files": len({page.metadata["source"] for page in pages}) + len(failed),
        "loaded": len(pages),
        "chunks": len(chunks),
        "failed": failed,
        "versions": {name: version(name) for name in _PACKAGES},
        "threads": torch.get_num_threads(),
        "found": search(store, further, arguments.depth),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
