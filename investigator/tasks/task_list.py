"""The tasks that are shipped. A further one is a file in this folder and a line here."""

from __future__ import annotations

from typing import Final

from investigator.dialogue.task_strings import TaskEntry

TASK_LIST: Final = (
    TaskEntry("Folder", "folder", ("QA", "Documents"), "questions about a folder of documents (questions.jsonl)"),
    TaskEntry("SQuAD", "squad", ("QA", "Reading"), "SQuAD 1.1 and 2.0 JSON; also squad:open, squad:index"),
    TaskEntry("HotpotQA", "hotpotqa", ("QA", "MultiHop"), "HotpotQA JSON; also hotpotqa:open, hotpotqa:gold"),
    TaskEntry("2WikiMultiHop", "twowiki", ("QA", "MultiHop"), "2WikiMultiHopQA JSON; also twowiki:open, twowiki:gold"),
    TaskEntry("BEIR", "beir", ("Ranking",), "queries, corpus and qrels in the layout of BEIR; also beir:candidates"),
    TaskEntry("QuAC", "quac", ("ConversationalQA", "Reading"), "QuAC JSON: a student asks about a section"),
    TaskEntry("CoQA", "coqa", ("ConversationalQA", "Reading"), "CoQA JSON: questions about a story, one on the other"),
    TaskEntry(
        "Doc2Dial",
        "doc2dial",
        ("ConversationalQA", "Documents"),
        "conversations about documents: Doc2Dial JSON, or JSONL with turns; also doc2dial:last, doc2dial:search",
    ),
    TaskEntry("bAbI", "babi", ("QA", "Stories"), "bAbI text; with datapath=FOLDER babi:task1k:1 to babi:task10k:20"),
    TaskEntry("BB3x", "bb3x", ("Dialogue",), "BB3x conversations; bb3x:sdm and the like for one module"),
    TaskEntry("ParlAI-text", "text", ("Format",), "the text format of ParlAI: text, labels, one example a line"),
    TaskEntry("Conversations", "conversations", ("Format",), "JSONL, one conversation a line, under dialog"),
)
