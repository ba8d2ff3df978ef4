"""A template from somebody else computes with plain values: it runs nothing, reads nothing, and ends."""

from __future__ import annotations

import os
import pickle
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jinja2.debug  # noqa: F401 - imported on the first error otherwise, which the audit hook would report
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from investigator.asking import sandbox
from investigator.asking.prompts import Prompts
from investigator.asking.sandbox import FILTERS, read_template
from investigator.asking.template_process import TemplateProcess
from investigator.asking.templates import MOST_OCTETS, Fault, source_of
from investigator.bb3.forms.prefix_form import prefix_texts
from investigator.bb3.records import Module
from investigator.errors import TemplateError
from investigator.records import AskVariables, ShownDocument, ShownPassage

DOCUMENT = ShownDocument(
    document_id="a.md",
    title="Report",
    about="text " * 200,
    passages=(ShownPassage(text="It makes 42 MW.", start=3),),
)
VARIABLES = AskVariables(main_question="How much?", mission="Find figures.", documents=(DOCUMENT,) * 40)
NAMES = sorted(AskVariables.model_fields)


@pytest.fixture(scope="module")
def process() -> Iterator[TemplateProcess]:
    process = TemplateProcess(seconds=1.0)
    yield process
    process.close()


def fault(process: TemplateProcess, source: str) -> Fault:
    read = process.read(source, VARIABLES.plain())
    assert read.fault is not None, read.text[:200]
    return read.fault


class _Payload:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.mark}",)


def test_the_deprecated_methods_of_pydantic_are_out_of_reach(process: TemplateProcess, tmp_path: Path) -> None:
    """`parse_raw` with a pickle ran a command, and `parse_file` read a file into the prompt."""
    mark = tmp_path / "ran"
    pickled = pickle.dumps(_Payload(mark), protocol=0).decode("ascii")
    raw = f"{{{{ documents[0].parse_raw({pickled!r}, proto='pickle', allow_pickle=True) }}}}"
    for source in (raw, "{{ documents[0].parse_file('/etc/hostname') }}"):
        assert "has no attribute 'parse_" in fault(process, source).problem
    assert not mark.exists()


@pytest.mark.parametrize(
    "source",
    [
        *("{{ documents[0].model_dump() }}", "{{ documents[0].model_fields_set }}", "{{ documents.append }}"),
        *("{{ mission.__class__ }}", "{{ ''.__class__.__base__.__subclasses__() }}", "{{ documents[0]['__class__'] }}"),
        *("{{ mission|attr('__class__') }}", "{{ documents|map(attribute='__class__')|join }}"),
        *("{{ '{0.__class__}'.format(mission) }}", "{{ mission.format.__self__ }}", "{{ cycler.__init__ }}"),
        *("{% for n in documents %}{{ loop.__init__ }}{% endfor %}", "{{ self.__init__.__globals__ }}"),
        *("{% import 'x' as x %}", "{% extends '/etc/hostname' %}", "{% include '../x' %}"),
        *("{% do 1 %}", "{{ mission|shout }}", "{{ mission + 1 }}", "{{ missing }}"),
    ],
)
def test_what_is_out_of_reach_is_refused_with_its_line(process: TemplateProcess, source: str) -> None:
    assert fault(process, f"Line one.\n{source}").line == 2


@pytest.mark.parametrize(
    "source",
    [
        "{{ 'a' * 10**9 }}",
        "{{ 'a' * 1000000000 }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ 'a'|center(1000000000) }}",
        "{{ mission.ljust(1000000000) }}",
        "{% for i in range(1000000000) %}x{% endfor %}",
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        "{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}",
        "{% set a = documents[0].about %}" + "{% set a = a + a %}" * 40 + "{{ a }}",
        "{% set a = documents[0].about %}" + "{% set a = a|replace(' ', a) %}" * 9 + "{{ a }}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% for p in documents %}" * 6 + "{% endfor %}" * 6,
        "{% for p in documents if p.about == 'x' or not p.question %}" * 6 + "{% endfor %}" * 6,
        "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
        "{{ " + "-" * 50_000 + "1 }}",
        "{{ " + "+".join(["1"] * 20_000) + " }}",
        "{{ " + "9" * 100_000 + " }}",
        "{{ mission" + ".a" * 50_000 + " }}",
        "{% if a %}" * 5000 + "{% endif %}" * 5000,
        "{% for a in documents %}" * 50 + "{% endfor %}" * 50,
    ],
    ids=lambda source: source[:40],
)
def test_no_template_takes_more_time_or_memory_than_a_prompt_needs(process: TemplateProcess, source: str) -> None:
    began = time.monotonic()
    assert fault(process, source).problem
    assert time.monotonic() - began < 15
    assert process.read("{{ mission }}", VARIABLES.plain()).text == "Find figures."


def test_a_loop_that_does_not_end_is_stopped_and_named_with_its_line(process: TemplateProcess) -> None:
    endless = "{% for i in range(99999) %}\n{% for j in range(99999) %}\n{% endfor %}{% endfor %}"
    stopped = fault(process, endless)
    assert stopped.line in (1, 2)
    assert stopped.problem == "this cannot be filled in: it takes more than 1 seconds"
    assert process.read("{{ mission }}", VARIABLES.plain()).text == "Find figures."
    assert process._child is not None
    process._child.kill()
    process._child.wait()
    assert process.read("{{ mission }}", VARIABLES.plain()).text == "Find figures."


def test_a_template_of_one_s_own_never_runs_in_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "read_template", lambda *_: pytest.fail("it ran in this process"))
    template = tmp_path / "given.j2"
    template.write_text("{{ mission }} {{ '{}'.format(8) }}", encoding="utf-8")
    assert Prompts().render(template, VARIABLES) == "Find figures. 8"
    template.write_text("One\n{{ mission.__class__ }}", encoding="utf-8")
    with pytest.raises(TemplateError, match=r"given\.j2, line 2: .*: access to attribute '__class__'"):
        Prompts().render(template, VARIABLES)


GOOD = Prompts().path("query/ask")
PLANTED: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "device": lambda place: place.symlink_to("/dev/zero"),
    "long": lambda place: place.write_bytes(GOOD.read_bytes().ljust(MOST_OCTETS + 1)),
    "link": lambda place: place.symlink_to(GOOD),
}


@pytest.mark.parametrize("kind", PLANTED)
def test_a_template_is_a_regular_file_of_its_folder(tmp_path: Path, kind: str) -> None:
    (tmp_path / "query").mkdir()
    shutil.copy(GOOD, tmp_path / "query" / "ask.j2")
    Prompts(tmp_path)
    (tmp_path / "query" / "ask.j2").unlink()
    PLANTED[kind](tmp_path / "query" / "ask.j2")
    with pytest.raises(TemplateError, match=r"ask\.j2"):
        Prompts(tmp_path)


def test_an_instruction_of_the_chat_is_a_file_of_its_folder_too(tmp_path: Path) -> None:
    place = tmp_path / "prompts" / "bb3" / "prefix" / "vrm.txt"
    place.parent.mkdir(parents=True)
    (tmp_path / "secret").write_text("SECRET", encoding="utf-8")
    place.symlink_to(tmp_path / "secret")
    with pytest.raises(TemplateError, match="points outside the prompts folder"):
        prefix_texts(Module.VRM, tmp_path / "prompts")


_WORDS = st.sampled_from([*NAMES, "loop", "self", "'a'", "9", "documents[0]", "x", "range(9)", "(1 if x else 'b')"])
_TAILS = st.sampled_from(
    [
        *(".__class__", ".format", ".title", ".about", ".parse_raw", "._x", ".index", ".items", "[0]", "()", "(x)"),
        *(f"|{name}" for name in [*FILTERS, "attr('x')", "center", "map(attribute='__class__')", "replace('a','b')"]),
        *(" + 1", " * 9", " ~ 'a'", " ** 9", " % 2", " // 1", " in x", " == 1", " and x", " - 1"),
    ]
)
_EXPRESSIONS = st.recursive(
    _WORDS,
    lambda inner: st.one_of(
        st.builds("{}{}".format, inner, _TAILS),
        st.builds("{}({})".format, inner, inner),
        st.builds("[{}, {}]".format, inner, inner),
        st.builds("({} if {} else {})".format, inner, inner, inner),
    ),
    max_leaves=6,
)
_PIECES = st.one_of(
    st.builds("{{{{ {} }}}}".format, _EXPRESSIONS),
    st.builds("{{% set x = {} %}}".format, _EXPRESSIONS),
    st.builds("{{% for x in {} %}}{{{{ {} }}}}{{% endfor %}}".format, _EXPRESSIONS, _EXPRESSIONS),
    st.builds("{{% if {} %}}y{{% endif %}}".format, _EXPRESSIONS),
    st.text(max_size=12),
)

_WATCHED = {"os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "socket.connect", "pickle.find_class", "exec"}
_seen: list[str] = []
_watching = False


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    is_template = event == "exec" and getattr(arguments[0], "co_filename", "") in ("<template>", "<unknown>")
    if _watching and event in _WATCHED and not is_template:
        _seen.append(event)
    if _watching and event == "open" and isinstance(arguments[0], str) and "given.j2" not in arguments[0]:
        _seen.append(f"open {arguments[0]}")


@pytest.fixture(scope="module")
def _watched() -> None:
    sys.addaudithook(_watch)  # which cannot be removed


@pytest.mark.usefixtures("_watched")
@settings(max_examples=max(150, int(os.environ.get("INVESTIGATOR_FUZZ", "0"))), deadline=None)
@given(source=st.lists(_PIECES, max_size=5).map("".join))
def test_whatever_a_template_says_it_is_text_or_refused(source: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """An audit hook checks that nothing is run, sent, unpickled or opened besides the template."""
    global _watching
    template = tmp_path_factory.getbasetemp() / "given.j2"
    template.write_text(source.encode("utf-8", "replace").decode(), encoding="utf-8")
    _seen.clear()
    _watching = True
    try:
        read = read_template(source_of(template), VARIABLES.plain())
    finally:
        _watching = False
    assert read.fault is None or read.fault.problem
    assert _seen == []
