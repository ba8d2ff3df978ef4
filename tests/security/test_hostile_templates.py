"""A template from somebody else computes with plain values: it runs nothing, reads nothing, and ends."""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2.runtime import LoopContext

from investigator.asking.prompts import Prompts
from investigator.asking.template_filters import FILTERS
from investigator.asking.template_language import TemplateLanguage
from investigator.asking.templates import MOST_OCTETS, Sandbox
from investigator.bb3.records import CONTRACTS, Module, ResponseVariables, Speaker, Turn
from investigator.errors import TemplateError
from investigator.records import AskVariables, Quote, Record, ShownDocument, ShownPassage

PLAIN = (type(None), bool, int, float, str, list, dict)
DOCUMENT = ShownDocument(
    document_id="a.md",
    title="Report",
    about="text " * 200,
    passages=(ShownPassage(text="It makes 42 MW.", start=3),),
)
VARIABLES = AskVariables(main_question="How much?", mission="Find figures.", documents=(DOCUMENT,) * 40)
NAMES = sorted(AskVariables.model_fields)


def rendered(folder: Path, source: str, variables: Record = VARIABLES) -> str:
    template = folder / "given.j2"
    template.write_text(source, encoding="utf-8")
    return Sandbox().render(template, variables)


class _Payload:
    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.mark}",)


def test_the_deprecated_methods_of_pydantic_are_out_of_reach(tmp_path: Path) -> None:
    """`parse_raw` with a pickle ran a command, and `parse_file` read a file into the prompt."""
    mark = tmp_path / "ran"
    pickled = pickle.dumps(_Payload(mark), protocol=0).decode("ascii")
    raw = f"{{{{ documents[0].parse_raw({pickled!r}, proto='pickle', allow_pickle=True) }}}}"
    for source in (raw, "{{ documents[0].parse_file('/etc/hostname') }}"):
        with pytest.raises(TemplateError, match=r"given\.j2, line 1: calls are not allowed"):
            rendered(tmp_path, source)
    assert not mark.exists()


@pytest.mark.parametrize(
    "source",
    [
        *(
            "{{ documents[0].model_dump }}",
            "{{ documents[0].model_fields_set }}",
            "{{ documents.append }}",
            "{{ mission.format }}",
        ),
        *("{{ mission['format'] }}", "{{ mission|attr('format') }}", "{{ documents[0]['__class__'] }}", "{{ self }}"),
        *(
            "{{ documents|map(attribute='__class__')|join }}",
            "{{ mission.__class__ }}",
            "{{ loop }}",
            "{{ documents.0.items }}",
        ),
        *("{% set x = ''.join %}{{ x }}", "{{ mission|format(documents) }}", "{{ '%s' % mission }}", "{{ cycler }}"),
        *("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "{% for n in documents recursive %}{{ n }}{% endfor %}"),
        *("{% import 'x' as x %}", "{% extends '/etc/hostname' %}", "{% include '../x' %}", "{{ lipsum }}"),
        *(
            "{{ mission ~ mission }}",
            "{{ 9 ** 9 }}",
            "{{ {'a': documents} }}",
            "{{ [documents, documents] }}",
            "{{ mission|pprint }}",
        ),
        *(
            "{% for n in documents %}{% set x = loop %}{% endfor %}",
            "{% for n in documents %}{{ loop.cycle }}{% endfor %}",
        ),
        *("{% for n in documents %}{{ loop.__init__ }}{% endfor %}", "{% block b %}{% endblock %}", "{% do 1 %}"),
        *("{{ documents.0.items }}", "{{ mission|pprint }}"),
        *("{% with a = 1 %}{% endwith %}", "{% set x %}a{% endset %}", "{{ mission is callable }}"),
    ],
)
def test_what_is_not_of_the_language_is_refused_with_its_line(tmp_path: Path, source: str) -> None:
    with pytest.raises(TemplateError, match=r"given\.j2, line 2") as caught:
        rendered(tmp_path, f"Line one.\n{source}")
    assert "data, " in caught.value.hint


@pytest.mark.parametrize(
    "source",
    [
        "{{ 'a' * 10**9 }}",
        "{{ 'a' * 1000000000 }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ 'a'|center(1000000000) }}",
        "{% for i in range(1000000000) %}x{% endfor %}",
        "{{ 1000000000000 * 1000000000000 * 1000000000000 * 2 }}",
        "{% set a = documents[0].about %}" + "{% set a = a + a %}" * 40 + "{{ a }}",
        "{% set a = documents[0].about %}" + "{% set a = a|replace(' ', a) %}" * 9 + "{{ a }}",
        "{{ documents|join(documents[0].about)|replace('t', documents[0].about)|replace('e', documents[0].about) }}",
        "{% for p in documents %}" * 6 + "{% endfor %}" * 6,
        "{% for p in documents %}" * 6 + "{{ loop.length }}" + "{% endfor %}" * 6,
        "{% for p in documents if p.about == 'x' or not p.question %}" * 5 + "{% endfor %}" * 5,
        "{% for p in documents %}{% for q in documents %}" * 2 + "{{ p.about }}" + "{% endfor %}{% endfor %}" * 2,
        "{% for c in documents[0].about %}{% for d in documents[0].about %}" * 2 + "{% endfor %}{% endfor %}" * 2,
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
def test_no_template_takes_more_time_or_memory_than_a_prompt_needs(tmp_path: Path, source: str) -> None:
    began = time.process_time()
    with pytest.raises(TemplateError, match=r"given\.j2"):
        rendered(tmp_path, source)
    assert time.process_time() - began < 15


def test_a_loop_within_bounds_ends_by_the_clock_too(tmp_path: Path) -> None:
    ticking = iter(range(0, 10_000, 5))
    template = tmp_path / "slow.j2"
    template.write_text("{% for document in documents %}\n{{ document.title }}\n{% endfor %}", encoding="utf-8")
    with pytest.raises(TemplateError, match=r"slow\.j2, line 1: it takes more than 20 seconds"):
        Sandbox(clock=lambda: float(next(ticking))).render(template, VARIABLES)


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "long", "link"])
def test_a_template_is_a_regular_file_of_its_folder(tmp_path: Path, kind: str) -> None:
    folder, outside = tmp_path / "prompts", tmp_path / "outside.txt"
    outside.write_text("SECRET {{ mission }}", encoding="utf-8")
    place = folder / "query" / "ask.j2"
    place.parent.mkdir(parents=True)
    match kind:
        case "pipe":
            os.mkfifo(place)
        case "folder":
            place.mkdir()
        case "device":
            place.symlink_to("/dev/zero")
        case "long":
            place.write_text("x" * (MOST_OCTETS + 1), encoding="utf-8")
        case _:
            place.symlink_to(outside)
    with pytest.raises(TemplateError, match=r"ask\.j2"):
        Prompts(folder)


def test_an_instruction_of_the_chat_is_a_file_of_its_folder_too(tmp_path: Path) -> None:
    from investigator.bb3.forms.prefix_form import prefix_texts

    place = tmp_path / "prompts" / "bb3" / "prefix" / "vrm.txt"
    place.parent.mkdir(parents=True)
    (tmp_path / "secret").write_text("SECRET", encoding="utf-8")
    place.symlink_to(tmp_path / "secret")
    with pytest.raises(TemplateError, match="points outside the prompts folder"):
        prefix_texts(Module.VRM, tmp_path / "prompts")


def test_everything_in_reach_of_a_template_is_plain() -> None:
    """Walk from the variables of every contract over all attributes, items, filters and tests."""
    language = TemplateLanguage()
    assert language.globals == {}
    assert {name for name in language.filters if name.isidentifier()} == set(FILTERS)
    quote = Quote(document_id="a.md", page=None, line=1, start=0, end=1, text="x", source_hash="0")
    told = ResponseVariables(turns=(Turn(speaker=Speaker.SELF, text="x"),), knowledge=(quote,))
    reached = 0
    for variables in (VARIABLES, told):
        for value in _walked(language, variables.plain()):
            assert type(value) in PLAIN
            reached += 1
    assert reached > 300
    loop = LoopContext([{"a": 1}, "b"], language.undefined)
    next(loop)
    for name in dir(loop):
        value = language.getattr(loop, name)
        assert isinstance(value, language.undefined) or type(value) in PLAIN, name


def test_every_contract_has_a_plain_form() -> None:
    """By its declared type, no field of any record that templates see contains anything else."""
    for contract in CONTRACTS.values():
        schema = contract.variables.model_json_schema()
        assert schema["type"] == "object"


def _walked(language: TemplateLanguage, value: Any) -> Iterator[Any]:
    yield value
    keys: list[Any] = [*dir(value), *dir(type(value)), *(value if isinstance(value, dict) else ())]
    keys += range(len(value)) if isinstance(value, list) else []
    for key in keys:
        for step in (language.getattr, language.getitem):
            found = step(value, key)
            if not isinstance(found, language.undefined):
                yield from _walked(language, found)


def _expressions() -> st.SearchStrategy[str]:
    words = st.sampled_from([*NAMES, "loop", "self", "'a'", "1", "10**9", "documents[0]", "documents", "x", "range(9)"])
    attributes = st.sampled_from(["__class__", "format", "title", "about", "parse_raw", "_x", "index", "items", "0"])
    filters = st.sampled_from([*FILTERS, "attr", "center", "map(attribute='__class__')", "tojson", "replace('a','b')"])
    operators = st.sampled_from(["+", "*", "~", "**", "%", "//", "-", "in", "==", "and"])
    return st.recursive(
        words,
        lambda inner: st.one_of(
            st.builds("{}.{}".format, inner, attributes),
            st.builds("{}|{}".format, inner, filters),
            st.builds("({} {} {})".format, inner, operators, inner),
            st.builds("{}({})".format, inner, inner),
            st.builds("[{}, {}]".format, inner, inner),
            st.builds("({} if {} else {})".format, inner, inner, inner),
        ),
        max_leaves=6,
    )


def _templates() -> st.SearchStrategy[str]:
    pieces = st.one_of(
        st.builds("{{{{ {} }}}}".format, _expressions()),
        st.builds("{{% set x = {} %}}".format, _expressions()),
        st.builds("{{% for x in {} %}}{{{{ {} }}}}{{% endfor %}}".format, _expressions(), _expressions()),
        st.builds("{{% if {} %}}y{{% endif %}}".format, _expressions()),
        st.text(max_size=12),
    )
    return st.lists(pieces, max_size=5).map("".join)


_WATCHED = {"os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "socket.connect", "pickle.find_class", "exec"}
_seen: list[str] = []
_watching = False


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if not _watching:
        return
    is_template = event == "exec" and getattr(arguments[0], "co_filename", "") in ("<template>", "<unknown>")
    if event in _WATCHED and not is_template:
        _seen.append(event)
    if event == "open" and isinstance(arguments[0], str) and "given.j2" not in arguments[0]:
        _seen.append(f"open {arguments[0]}")


@settings(max_examples=max(150, int(os.environ.get("INVESTIGATOR_FUZZ", "0"))), deadline=None)
@given(source=_templates())
def test_whatever_a_template_says_it_is_text_or_refused(source: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """An audit hook checks that nothing is run, sent, unpickled or opened besides the template."""
    global _watching
    if _watch not in _HOOKS:
        sys.addaudithook(_watch)
        _HOOKS.append(_watch)
    folder = tmp_path_factory.getbasetemp()
    template = folder / "given.j2"
    template.write_text(source.encode("utf-8", "replace").decode(), encoding="utf-8")
    _seen.clear()
    _watching = True
    try:
        said = _SANDBOX.render(template, VARIABLES)
    except TemplateError as error:
        said = error.message
    finally:
        _watching = False
    assert isinstance(said, str)
    assert _seen == []


_HOOKS: list[object] = []
_SANDBOX = Sandbox()
