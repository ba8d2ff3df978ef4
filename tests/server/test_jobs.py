"""A job is done once, can be followed from any point, and outlives the server."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from threading import Event

import httpx
import pytest
from power_plants import ABSENT, ONE, index, write_folder
from server_clients import program_of, serving

from investigator import Investigator, ScriptedEmbedder
from investigator.bb3.commands.serve import open_talks
from investigator.errors import SettingsError
from investigator.records import Event as Happened
from investigator.records import Planned
from investigator.server.desk import Desk
from investigator.server.folders import ServedFolder, served_folders
from investigator.server.ledger import JobLedger
from investigator.server.problems import ServerError
from investigator.server.records import JobRequest, JobState, ServerJob
from investigator.server.service import Service
from investigator.services.run_records import RunOptions
from investigator.store.database import FileDatabase
from investigator.store.schema import SERVED


@pytest.fixture
def plants(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "plants")


@pytest.fixture
def service(plants: Path, tmp_path: Path) -> Iterator[Service]:
    with serving(plants, tmp_path / "data") as running:
        yield running


def followed(client: httpx.Client, job_id: str, after: int = 0) -> Iterator[tuple[int, str, str]]:
    """Return the events of a job as a client gets them: number, kind, data."""
    with client.stream("GET", f"/v1/investigations/{job_id}/events", headers={"Last-Event-ID": str(after)}) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        event: dict[str, str] = {}
        for line in stream.iter_lines():
            name, _, value = line.partition(": ")
            event[name] = value
            if not line and "id" in event:
                yield int(event["id"]), event["event"], event["data"]
                event = {}


def started(client: httpx.Client, question: str = ONE, **headers: str) -> ServerJob:
    reply = client.post("/v1/investigations", json={"folder": "plants", "question": question}, headers=headers)
    assert reply.status_code == 202, reply.text
    job = ServerJob.model_validate(reply.json())
    assert reply.headers["location"] == f"/v1/investigations/{job.id}"
    return job


def test_an_investigation_is_followed_to_its_answer_and_again_after_any_event(program: httpx.Client) -> None:
    job = started(program)
    events = list(followed(program, job.id))
    assert [number for number, _, _ in events] == list(range(1, len(events) + 1))
    kinds = [kind for _, kind, _ in events]
    assert {"fileread", "started", "planned", "remembered", "written", "checked"} <= set(kinds)
    assert (kinds[-1], json.loads(events[-1][2])["state"]) == ("ended", "done")
    outcome = program.get(f"/v1/investigations/{job.id}").json()
    assert outcome["job"]["state"] == "done"
    assert "42 MW" in outcome["investigation"]["answer"]["text"]
    (run,) = program.get("/v1/folders/plants/runs").json()["items"]
    assert run["id"] == outcome["job"]["run_id"]
    assert list(followed(program, job.id, after=4)) == events[4:]
    assert program.get(f"/v1/investigations/{job.id}/events", headers={"Last-Event-ID": "-1"}).status_code == 400


def test_the_same_key_gives_the_same_job_and_another_question_under_it_is_refused(program: httpx.Client) -> None:
    key = {"Idempotency-Key": "k1"}
    assert started(program, **key).id == started(program, **key).id
    other = program.post("/v1/investigations", json={"folder": "plants", "question": ABSENT}, headers=key)
    assert (other.status_code, other.headers["content-type"]) == (422, "application/problem+json")


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ({"folder": "nowhere", "question": "Who?"}, 404),
        ({"folder": "plants", "question": "   "}, 422),
        ({"folder": "plants"}, 422),
        ({"folder": "plants", "question": "Who?", "model": "x"}, 422),
        ({"folder": "plants", "question": "x" * 30_000}, 422),
        ({"folder": "plants", "question": "Who?", "as_of": "2026-02-30"}, 422),
        ([], 422),
    ],
)
def test_a_request_that_makes_no_sense_is_told_why(program: httpx.Client, request_: object, status: int) -> None:
    refused = program.post("/v1/investigations", json=request_)
    assert (refused.status_code, refused.headers["content-type"]) == (status, "application/problem+json")
    assert refused.json()["detail"]
    assert refused.json()["hint"]


def test_a_request_is_refused_in_plain_words(program: httpx.Client) -> None:
    wrong = program.post("/v1/investigations", json={"question": 5, "limit": 1}).json()["detail"]
    assert wrong == "question must be text; limit is not a field of this request"
    as_json = {"content-type": "application/json"}
    broken = program.post("/v1/investigations", content=b"{", headers=as_json)
    assert broken.json()["detail"] == "the body is not JSON"
    assert program.get("/v1/folders/plants/search").json()["detail"] == "q is missing"


def test_what_fails_is_told_with_what_to_do(program: httpx.Client) -> None:
    reply = program.post("/v1/investigations", json={"folder": "plants", "question": ONE, "only": ["gone.txt"]})
    *_, (_, kind, data) = followed(program, reply.json()["id"])
    ended = json.loads(data)
    assert (kind, ended["state"]) == ("ended", "failed")
    assert "gone.txt" in ended["problem"]["detail"]
    assert ended["problem"]["hint"]


class Waiting(Investigator):
    """An investigator whose investigations wait, just before their end, until they may continue."""

    def __init__(self, folder: Path, may_end: Event) -> None:
        super().__init__(folder, embedder=ScriptedEmbedder())
        self.may_end = may_end

    def investigate(self, question: str, options: RunOptions = RunOptions()) -> Iterator[Happened]:
        for event in super().investigate(question, options):
            yield event
            if isinstance(event, Planned):
                assert self.may_end.wait(60)


def a_desk(plants: Path, directory: Path, may_end: Event, most_waiting: int = 20) -> Desk:
    return Desk(served_folders([Waiting(plants, may_end)], directory), most_waiting=most_waiting)


def until(desk: Desk, job_id: str, holds: Callable[[ServerJob], object]) -> ServerJob:
    waited = Event()
    while not holds(job := desk.job(job_id)):
        waited.wait(0.01)
    return job


def test_a_folder_is_searched_while_a_job_runs_and_a_stopped_job_keeps_what_it_has_learned(
    plants: Path, tmp_path: Path
) -> None:
    may_end = Event()
    desk = a_desk(plants, tmp_path / "data", may_end)
    desk.start()
    running, waiting = (desk.submit(JobRequest(folder="plants", question=q)) for q in (ONE, ABSENT))
    until(desk, running.id, lambda job: job.run_id)
    hits = desk.folder("plants").investigator.search("Cedar")
    assert hits[0].passage.document_id == "cedar.txt"
    assert desk.stop(waiting.id).state is JobState.STOPPED
    desk.stop(running.id)
    may_end.set()
    stopped = until(desk, running.id, lambda job: job.state is JobState.STOPPED)
    desk.close()
    assert stopped.run_id
    assert Investigator(plants, embedder=ScriptedEmbedder()).show(stopped.run_id).answer is None


def test_only_so_many_jobs_wait(plants: Path, tmp_path: Path) -> None:
    may_end = Event()
    desk = a_desk(plants, tmp_path / "data", may_end, most_waiting=1)
    desk.submit(JobRequest(folder="plants", question=ONE))
    with pytest.raises(ServerError) as refused:
        desk.submit(JobRequest(folder="plants", question=ABSENT))
    assert (refused.value.problem.status, refused.value.retry_after > 0) == (429, True)
    desk.close()


def test_what_a_server_leaves_is_done_by_the_next_one(plants: Path, tmp_path: Path) -> None:
    """The job resumes from its journal: finished steps are not repeated."""
    may_end = Event()
    desk = a_desk(plants, tmp_path / "data", may_end)
    desk.start()
    job = desk.submit(JobRequest(folder="plants", question=ONE, fresh=True))
    until(desk, job.id, lambda job: job.run_id)
    may_end.set()
    desk.close()
    with closing(FileDatabase(next((tmp_path / "data").glob("*/served.db")), SERVED)) as database:
        left = JobLedger(database)
        before, events = left.job(job.id), left.events(job.id)
    assert before is not None
    assert before.state is JobState.RUNNING
    again = a_desk(plants, tmp_path / "data", may_end)
    again.start()
    done = until(again, job.id, lambda job: job.state is JobState.DONE)
    kept = again.folder("plants").ledger.events(job.id)
    again.close()
    assert done.run_id == before.run_id
    assert kept[: len(events)] == events
    assert kept[-1].kind == "ended"
    assert [event.number for event in kept] == list(range(1, len(kept) + 1))


def test_the_jobs_of_all_folders_are_listed_page_by_page(plants: Path, tmp_path: Path) -> None:
    other = write_folder(tmp_path / "more")
    investigators = [Investigator(folder, embedder=ScriptedEmbedder()) for folder in (plants, other)]
    service = Service(investigators, open_talks=open_talks, directory=tmp_path / "d")
    with service, program_of(service) as client:
        begun = [
            client.post("/v1/investigations", json={"folder": name, "question": f"Question {number}?"}).json()["id"]
            for number in range(3)
            for name in ("plants", "more")
        ]
        listed, address = list[str](), "/v1/investigations?limit=2"
        while address:
            page = client.get(address).json()
            listed += [job["id"] for job in page["items"]]
            address = page["next"]
    assert sorted(listed) == sorted(begun)


def test_two_folders_of_one_name_have_two_names(plants: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "plants"
    other.mkdir(parents=True)
    (other / "a.txt").write_text("The lake is deep.", encoding="utf-8")
    folders = served_folders(
        [Investigator(folder, embedder=ScriptedEmbedder()) for folder in (plants, other)], tmp_path / "d"
    )
    assert {name: folder.path for name, folder in folders.items()} == {"plants": plants, "plants-2": other}
    for folder in folders.values():
        folder.close()


def test_a_folder_made_later_leaves_the_default_and_of_several_one_has_to_be_named(
    plants: Path, tmp_path: Path
) -> None:
    other = write_folder(tmp_path / "more")
    alone, more = (Investigator(folder, embedder=ScriptedEmbedder()) for folder in (plants, other))
    with closing(Desk(served_folders([alone], tmp_path / "d"))) as desk:
        desk.folders.add(more)
        assert desk.folder("").name == "plants"
    with closing(Desk(served_folders([alone, more], tmp_path / "d"))) as desk, pytest.raises(ServerError) as refused:
        desk.folder("")
    assert refused.value.problem.detail == "several folders are served, and none is named"
    assert refused.value.problem.hint == "Name one of these folders: plants, more"


def test_programs_serve_a_folder_to_agents_beside_one_with_pages(plants: Path, tmp_path: Path) -> None:
    def served(*, to_agents: bool) -> ServedFolder:
        investigators = [Investigator(plants, embedder=ScriptedEmbedder())]
        return served_folders(investigators, tmp_path, to_agents=to_agents)["plants"]

    opened = [served(to_agents=agents) for agents in (True, False, True)]
    with pytest.raises(SettingsError, match=f"another program already serves {plants}"):
        served(to_agents=False)
    for folder in opened:
        folder.close()
    served(to_agents=False).close()


def test_the_index_of_a_served_folder_follows_its_files_from_the_start(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "plants")
    index(folder, tmp_path / "workspace")
    with serving(folder, tmp_path) as service:
        investigator = service.desk.folder("plants").investigator

        for name in ("willow.txt", "yew.txt"):  # the first is written before the folder is watched
            (folder / name).write_text("The plant makes 60 MW of power.")
            until = time.monotonic() + 20
            while name not in {file.path for file in investigator.status(compare=False).files}:
                assert time.monotonic() < until, name
                time.sleep(0.05)
