"""Indexes a folder: reads its files, stores their words and vectors, and opens a library to search them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from investigator.documents.chunks import ChunkSettings, split
from investigator.documents.folder import FolderSettings, Recheck, refresh
from investigator.documents.readers.base import READERS, HiddenText, ReaderSettings
from investigator.documents.readers.pictures.ocr import why_not
from investigator.documents.readers.versions import is_current
from investigator.documents.scanning import FolderListing
from investigator.engines.base import Embedder, Vectors
from investigator.engines.embedding.rerankers import SentenceReranker, open_reranker
from investigator.errors import DamagedDocumentError, FolderError
from investigator.plugins import plug_ins
from investigator.records import Embedded, Event, FileStatus, LeftOut, Notice, Search
from investigator.retrieval.chunk_search import CorpusView, VectorSearch
from investigator.retrieval.kept_sentences import KeptSentences, windows
from investigator.retrieval.library import Library
from investigator.retrieval.retrieval_settings import RetrievalSettings
from investigator.retrieval.vector_search import CandidateSearch, VectorIndex, WholeSearch, chunk_texts
from investigator.store.chroma import ChromaIndex, discard
from investigator.store.corpus import Corpus
from investigator.store.full_text import FullText
from investigator.store.vectors import ExactIndex, VectorTable
from investigator.store.workspace import Workspace

EMBED_FIRST = 400
"""Maximum number of chunks that are embedded before the first question."""
EXACT_UP_TO = 100_000
"""Maximum number of vectors that are compared one by one; for more, Chroma is used."""
_SENTENCES_UP_TO = 10_000  # maximum number of chunks whose sentence vectors `index --vectors` computes in advance
_NAMED = 3
_WINDOW = 512  # number of chunks embedded together: enough to batch by length, few enough to lose little if interrupted


@dataclass(frozen=True)
class IndexSettings:
    """Settings for building an index."""

    folder: FolderSettings
    reader: ReaderSettings
    chunks: ChunkSettings
    retrieval: RetrievalSettings


class FolderIndex:
    """The index of one folder in one open workspace; `notice` receives messages for the user."""

    def __init__(
        self,
        folder: Path,
        workspace: Workspace,
        settings: IndexSettings,
        embedder: Embedder,
        notice: Callable[[str], None],
    ) -> None:
        self.corpus = self.stored = Corpus(workspace.index, workspace.decoded)
        self._table = vector_table(workspace, embedder, notice)
        self._sentences = KeptSentences(self._table, embedder)
        self.folder = folder
        self._workspace = workspace
        self._settings = settings
        self._embedder = embedder
        self._notice = notice

    def read(self, recheck: Recheck, listing: FolderListing | None = None) -> Iterator[Event]:
        """Update the stored texts and words from the folder, or from the files in `listing` if it is given.

        Documents that are damaged in the index, or were read by an older reader, are read again; `recheck` may name
        more, including documents inside archives and messages. With `verify`, all stored texts are checked for damage.
        Raises FolderError, ReaderError, StoreError.
        """
        settings = self._settings
        damaged = self.corpus.damaged() if recheck.verify else frozenset[str]()
        damaged |= yield from self._rechunked()
        yield from self._embedder_notice()
        reading = settings.reader.model_dump_json()
        if self.corpus.setting("reading") not in (None, reading) or self._ocr_is_new() or self._readers_are_new():
            recheck = recheck.changed(retry=True)
        yield from self._reread_notice(damaged, "different from what was read from the files")
        outdated = [i for reader, ids in self.corpus.readers().items() if not is_current(reader) for i in ids]
        yield from self._reread_notice(outdated, "read by an older reader")
        hidden = json.loads(self.corpus.setting("reading") or "{}").get("hidden", HiddenText.OMIT)
        is_hiding_new = hidden != settings.reader.hidden
        hiding = [i for ids in self.corpus.readers().values() for i in ids] if is_hiding_new else []
        yield from self._reread_notice(hiding, "read with another value of reader.hidden")
        recheck = recheck.changed(reread=self.corpus.containers({*recheck.reread, *damaged, *outdated, *hiding}))
        yield from refresh(
            self.folder,
            self.corpus.manifest(),
            self.corpus,
            settings.folder,
            settings.reader,
            settings.chunks,
            recheck,
            listing=listing,
        )
        self.corpus.set_setting("reading", reading)

    def _reread_notice(self, document_ids: Collection[str], what: str) -> Iterator[Event]:
        if document_ids:
            named = ", ".join(sorted(document_ids)[:_NAMED]) + (", ..." if len(document_ids) > _NAMED else "")
            is_single = len(document_ids) == 1
            were = "1 document in the index was" if is_single else f"{len(document_ids):,} documents in the index were"
            yield Notice(text=f"{were} {what}, and {'is' if is_single else 'are'} read again: {named}.")

    def _ocr_is_new(self) -> bool:
        """Return True if files need text recognition, which has become available since the last check."""
        if not any(file.status is FileStatus.NEEDS_OCR for file in self.corpus.unreadable()):
            return False
        obstacle = why_not(self._settings.reader)
        return self._has_changed("no_ocr", obstacle, "?") and not obstacle

    def _readers_are_new(self) -> bool:
        """Return True if files had no reader, and the installed plug-ins have changed since the last check."""
        is_lacking = any(file.status is FileStatus.UNSUPPORTED for file in self.corpus.unreadable())
        return is_lacking and self._has_changed("plug_ins", " ".join(sorted(plug_ins(READERS))))

    def _has_changed(self, name: str, value: str, unknown: str = "") -> bool:
        """Store a setting of the index; return True if it was another one, `unknown` if it was never stored."""
        before = self.corpus.setting(name)
        before = unknown if before is None else before
        if value != before:
            self.corpus.set_setting(name, value)
        return value != before

    def _rechunked(self) -> Generator[Event, None, frozenset[str]]:
        """Split the documents again if the chunk settings have changed; return the ids of damaged documents."""
        wanted, used = self._settings.chunks.model_dump_json(), self.corpus.setting("chunking")
        damaged: set[str] = set()
        if used not in (None, wanted):
            yield Notice(text="The chunk settings have changed: the documents are split again.")
            for document_id in self.corpus.document_ids():
                try:
                    self.corpus.rechunk(document_id, split(self.corpus.document(document_id), self._settings.chunks))
                except DamagedDocumentError:
                    damaged.add(document_id)
        if used != wanted:
            self.corpus.set_setting("chunking", wanted)
        return frozenset(damaged)

    def _embedder_notice(self) -> Iterator[Event]:
        """Report that the embedder has changed. Vectors from two embedders are never mixed, so new ones must be
        computed.
        """
        used, own = self.corpus.setting("embedder"), self._embedder.name
        if used == own:
            return
        if VectorTable(self._workspace.index, used or "").count():
            changed = f"The embedder has changed from {used} to {own}, which computes new vectors for the passages."
            yield Notice(text=f"{changed} The old vectors are kept.")
        self.corpus.set_setting("embedder", own)

    def without_vectors(self) -> int:
        """Return the number of chunks without a vector."""
        return self._table.missing_count()

    def kept_sentences(self, texts: Sequence[str]) -> Mapping[str, Vectors]:
        """Return the stored vectors of the given sentences."""
        return self._sentences.get(texts)

    def best_search(self) -> Search:
        """Return which vectors to search for a new question: all of them, unless too many are missing."""
        few = self.without_vectors() <= EMBED_FIRST
        return Search.WHOLE if few else Search.CANDIDATES

    def prepared(self, search: Search) -> Iterator[Event]:
        """Compute all vectors if the search needs them; otherwise, report how many are missing. Raises EngineError and
        StoreError.
        """
        if search is Search.WHOLE:
            yield from embed_missing(self.corpus, self._table, self._embedder)
        else:
            yield Notice(
                text=f"{self.without_vectors():,} passages can only be found by their words so far. To search all of "
                f"them by meaning too: investigator index --vectors {self.folder}"
            )

    def embed_all(self) -> Iterator[Embedded]:
        """Compute the missing vectors and those of sentences, unless there are too many to compute in advance.

        Raises EngineError and StoreError.
        """
        yield from embed_missing(self.corpus, self._table, self._embedder)
        reranker = self._settings.retrieval.reranker
        if reranker == SentenceReranker.name and self.corpus.chunk_count() <= _SENTENCES_UP_TO:
            yield from self._sentences.keep_all(self.corpus)

    def prepare_vectors(self) -> None:
        """Update the vector index from the stored vectors."""
        open_vectors(self._workspace, self._table, self._settings.retrieval, self._notice, rebuild=True)

    def library(self, search: Search, embedder: Embedder, settings: RetrievalSettings | None = None) -> Library:
        """Return the library for searching; `embedder` embeds queries. `Search.WHOLE` needs the vectors of all chunks.

        `settings` override the settings of the index.
        """
        settings = settings or self._settings.retrieval
        return open_library(self._workspace, embedder, settings, search, self._notice, self.corpus)


def check_any_document(folder: Path, corpus: CorpusView) -> None:
    """Raise FolderError if no document in a folder could be read."""
    if corpus.document_ids():
        return
    unreadable = corpus.unreadable()
    if not unreadable:
        raise FolderError(no_documents(folder, corpus.left_out()))
    named = "; ".join(f"{file.path} ({file.reason or file.status})" for file in unreadable[:5])
    failed = f"none of the {len(unreadable):,} files in {folder} could be read"
    if len(unreadable) == 1:
        failed = f"the only file in {folder} could not be read"
    hint = "Save damaged files again, split large ones, and convert others to a supported format; then try again."
    raise FolderError(f"{failed}: {named}", hint=hint)


def no_documents(folder: Path, left_out: Iterable[LeftOut]) -> str:
    """Return the message for a folder without documents; it mentions excluded files as a possible reason."""
    return "; ".join((f"the folder {folder} contains no documents", *(item.line for item in left_out)))


def workspace_library(workspace: Workspace, embedder: Embedder, settings: RetrievalSettings) -> Library:
    """Return the library of a workspace in its current state, with the existing vectors."""
    missing = VectorTable(workspace.index, embedder.name).missing_count()
    search = Search.CANDIDATES if missing else Search.WHOLE
    return open_library(workspace, embedder, settings, search, lambda _: None)


def open_library(
    workspace: Workspace,
    embedder: Embedder,
    settings: RetrievalSettings,
    search: Search,
    notice: Callable[[str], None],
    corpus: Corpus | None = None,
) -> Library:
    """Return the library of a workspace, using one of the two forms of vector search."""
    corpus, full_text = corpus or Corpus(workspace.index, workspace.decoded), FullText(workspace.index)
    table = vector_table(workspace, embedder, notice)
    vectors: VectorSearch = CandidateSearch(corpus, full_text, table, embedder)
    if search is Search.WHOLE:
        vectors = WholeSearch(open_vectors(workspace, table, settings, notice), corpus, embedder)
    reranker = open_reranker(settings.reranker, embedder)
    own = isinstance(reranker, SentenceReranker)
    return Library(corpus, full_text, vectors, reranker, settings, KeptSentences(table, embedder) if own else None)


def vector_table(workspace: Workspace, embedder: Embedder, notice: Callable[[str], None]) -> VectorTable:
    """Return the vectors of an embedder in a workspace; damaged vectors are recomputed, which `notice` reports."""
    corpus = Corpus(workspace.index, workspace.decoded)

    def remade(chunk_ids: Sequence[int]) -> dict[int, Vectors]:
        notice(f"{len(chunk_ids):,} stored vectors were damaged; they are computed again.")
        texts = chunk_texts(corpus, {i: span.document_id for i, span in corpus.chunk_spans(chunk_ids).items()})
        return dict(zip(texts, embedder.embed(list(texts.values())), strict=True))

    return VectorTable(workspace.index, embedder.name, remade)


def open_vectors(
    workspace: Workspace,
    table: VectorTable,
    settings: RetrievalSettings,
    notice: Callable[[str], None],
    *,
    rebuild: bool = False,
) -> VectorIndex:
    """Return the vector index, which uses Chroma for many vectors, but only in the one process that may write. A
    question does not `rebuild` its files.
    """
    if not workspace.writes:
        return ExactIndex(table)
    directory = workspace.directory / "chroma"
    if table.count() <= EXACT_UP_TO:
        discard(directory, table)
        return ExactIndex(table)
    index = ChromaIndex(directory, settings.chroma, table, notice, rebuild=rebuild)
    workspace.call_at_close(index.close)
    return index


def embed_missing(corpus: Corpus, table: VectorTable, embedder: Embedder) -> Iterator[Embedded]:
    """Compute and store the missing vectors of chunks, a few hundred at a time; yield the progress.

    An interruption loses only the vectors that were being computed. Chunks that another process deletes in the meantime
    are skipped. Raises EngineError and StoreError.
    """
    for texts, done, total in windows(corpus, table.missing(), _WINDOW):
        table.put(list(texts), embedder.embed(list(texts.values())))
        yield Embedded(done=done, total=total)
