"""The project's rules that no linter checks: sizes, errors, imports, docstrings; see CONTRIBUTING.md."""

from __future__ import annotations

import ast
import inspect
import re
import statistics
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from investigator import errors
from investigator.errors import InvestigatorError

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "investigator"
FILES = {file.relative_to(PACKAGE).as_posix(): file for file in sorted(PACKAGE.rglob("*.py"))}
MODULES = [f"investigator/{name}".removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in FILES]
ERRORS = [kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, InvestigatorError)]

SLOW_TO_IMPORT = {"torch", "transformers", "sentence_transformers", "chromadb", "langchain", "langchain_core", "openai"}
SLOW_TO_IMPORT |= {"kreuzberg", "pypdfium2", "xllamacpp"}

CATCHES_ANYTHING = {
    "cli/lazy_command.py": 1,  # the outer shell
    "documents/readers/office/through_kreuzberg.py": 1,  # a panic of the native reader is no Exception
    "documents/readers/sheets/office_open_xml.py": 2,  # the library raises whatever a formula leads it to
    "documents/readers/sheets/binary.py": 1,  # the library raises whatever a damaged file leads it to
    "documents/readers/pictures/picture.py": 1,  # the library raises whatever a damaged picture leads it to
    "documents/readers/registry.py": 1,  # a plug-in's reader may raise anything, and is named
    "documents/readers/unpacking.py": 1,  # one document failed, the others go on
    "engines/chat/engine.py": 2,  # each provider's package has errors of its own
    "engines/http.py": 1,  # the caller decides what each error means
    "server/chats.py": 1,  # a reply failed, the reader must be told
    "server/desk.py": 1,  # a job failed, the others go on
    "plugins/__init__.py": 1,  # a plug-in is a stranger's code, whose import may raise anything
}
READS_THE_ENVIRONMENT = {
    "__main__.py",  # for libraries that are loaded after it
    "settings.py",
    "doctor/diagnosis.py",
    "tracing/opening.py",  # the variables of OpenTelemetry's own standard
    "cli/lazy_command.py",
    "cli/main.py",
    "cli/output.py",  # TERM
    "documents/readers/pictures/ocr.py",  # handed on, with a limit on threads
    "engines/chat/models.py",  # the names under which each provider's users keep their keys
    "documents/objects.py",  # credentials of object storage are registered as secrets
    "cluster/ray_crew.py",  # Ray is told by variables to report nothing
}


@cache
def trees() -> dict[str, ast.Module]:
    return {name: ast.parse(file.read_text(encoding="utf-8")) for name, file in FILES.items()}


def test_no_file_is_over_400_lines_and_half_of_them_are_under_150() -> None:
    lengths = {name: len(file.read_text(encoding="utf-8").splitlines()) for name, file in FILES.items()}
    assert {name: length for name, length in lengths.items() if length > 400} == {}
    assert statistics.median(length for name, length in lengths.items() if not name.endswith("__init__.py")) <= 150


def test_no_function_is_over_60_lines() -> None:
    lengths = {f"{name}: {function.name}": _lines(function) for name, function in _functions()}
    assert {name: length for name, length in lengths.items() if length > 60} == {}


def test_modules_are_named_after_what_they_hold() -> None:
    parts = {part for module in MODULES for part in module.split(".")}
    assert parts.isdisjoint({"utils", "util", "helpers", "helper", "common", "misc", "shared"})


def test_no_two_classes_have_one_name() -> None:
    """Each name has one meaning. ParlAI finds the teachers of a task by these names, so they are in many files."""
    named = [
        (node.name, name) for name, tree in trees().items() for node in tree.body if isinstance(node, ast.ClassDef)
    ]
    public = [(kind, name) for kind, name in named if kind[0] != "_" and not kind.endswith("Teacher")]
    counted = Counter(kind for kind, _ in public)
    assert {kind: [name for other, name in public if other == kind] for kind in counted if counted[kind] > 1} == {}


def test_the_maps_of_the_house_are_the_contract() -> None:
    """CONTRIBUTING draws the layers and "How it works" names them, in the order that import-linter checks."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = (one for one in project["tool"]["importlinter"]["contracts"] if one["type"] == "layers")
    layers = [re.split(r"\W+", layer) for layer in contract["layers"] if layer != "__main__"]
    contributing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    drawn = contributing.partition("## The packages on one screen")[2].split("```")[1].strip().splitlines()
    assert [re.split(r" \| ", line.partition("  ")[0].strip()) for line in drawn] == layers
    page = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    told = re.search(r"`(tasks, doctor, .*?errors >\s+secrets)`", page, re.DOTALL)
    assert told is not None
    assert [re.split(r",\s+", layer.strip()) for layer in told[1].split(">")] == layers


def test_the_root_holds_five_modules() -> None:
    assert {path.stem for path in PACKAGE.glob("*.py")} == {
        *("__init__", "__main__", "investigator", "settings", "errors")
    }


def test_a_docstring_begins_with_a_verb_or_a_noun() -> None:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    documented = [node for tree in trees().values() for node in ast.walk(tree) if isinstance(node, kinds)]
    said = [text for node in documented if (text := ast.get_docstring(node))]
    assert [text for text in said if text.split()[0] in {"What", "Whether", "Where", "Which", "Who", "Whose"}] == []


def test_every_module_says_what_it_is_for() -> None:
    assert [name for name, tree in trees().items() if len(ast.get_docstring(tree) or "") < len("Engines.")] == []


def test_everything_public_says_what_it_does() -> None:
    """A method may omit its docstring if the protocol that it implements has one for the same name."""
    said = {node.name for _, node in _public() if ast.get_docstring(node)}
    silent = [f"{name}: {node.name}" for name, node in _public() if not ast.get_docstring(node)]
    assert [place for place in silent if place.split(": ")[1] not in said] == []


def test_the_drawn_tree_of_errors_is_the_real_one() -> None:
    real = {kind.__name__: kind.__mro__[1].__name__ for kind in ERRORS if kind is not InvestigatorError}
    assert dict(_drawn_tree(errors.__doc__ or "")) == real


@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_takes_a_hint_that_goes_before_its_own(kind: type[InvestigatorError]) -> None:
    assert kind("it failed", hint="Try again.").hint == "Try again."
    assert kind("it failed").hint == kind.default_hint
    assert kind.exit_code == (2 if issubclass(kind, errors.UserError) else 1)


def test_an_error_for_the_user_has_a_hint_or_is_given_one_where_it_is_raised() -> None:
    """This excludes the errors about one reply or one document, which the run records before it continues."""
    kept_in_the_run = (errors.ReplyError, errors.ReaderError)
    without = {kind.__name__ for kind in ERRORS if not kind.default_hint and not issubclass(kind, kept_in_the_run)}
    bare = [
        f"{name}:{call.lineno} {call.func.id}"
        for name, tree in trees().items()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in without
        if "hint" not in {keyword.arg for keyword in call.keywords}
    ]
    assert bare == []


def test_errors_are_caught_by_name() -> None:
    handlers = (
        (name, node) for name, tree in trees().items() for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)
    )
    assert Counter(name for name, handler in handlers if _catches_anything(handler)) == CATCHES_ANYTHING


def test_the_environment_is_read_in_few_places() -> None:
    names = {"os.environ", "os.environb", "os.getenv", "environ", "getenv"}
    reads = {name for name, tree in trees().items() for node in ast.walk(tree) if _dotted(node) in names}
    assert reads <= READS_THE_ENVIRONMENT


def test_the_command_and_the_front_door_load_nothing_slow() -> None:
    loaded = _imported(["investigator", "investigator.cli.main"])
    assert loaded & (SLOW_TO_IMPORT | {"sqlalchemy", "numpy"}) == set()


def test_importing_any_module_prints_writes_connects_and_computes_nothing() -> None:
    own = [module for module in MODULES if not module.startswith("investigator.langchain")]  # that one loads LangChain
    assert _imported(own) & SLOW_TO_IMPORT == set()


def test_nothing_speaks_of_one_machine() -> None:
    """Published files contain no path of a developer's machine."""
    read = [*PACKAGE.rglob("*"), *(ROOT / "prompts").rglob("*.j2"), *ROOT.glob("*.md"), *(ROOT / "data").rglob("*.md")]
    read += [ROOT / "Makefile", ROOT / "pyproject.toml", *(ROOT / "benchmarks").rglob("*.py")]
    texts = {file: file.read_text(encoding="utf-8") for file in read if file.is_file() and file.suffix != ".pyc"}
    own_paths = re.compile(r"(?<![\w.])/(?:work|root|home|Users)/\w|\.\./shared\b")
    assert [str(file.relative_to(ROOT)) for file, text in texts.items() if own_paths.search(text)] == []


def _functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for name, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield name, node


def _lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def _public() -> Iterator[tuple[str, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield the public classes and functions of every module, and the public methods of these classes."""
    for name, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name[0] != "_":
                yield name, node
            if isinstance(node, ast.ClassDef) and node.name[0] != "_":
                methods = (inner for inner in node.body if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef))
                yield from ((name, method) for method in methods if method.name[0] != "_")


def _drawn_tree(drawing: str) -> Iterator[tuple[str, str]]:
    """Yield each name of a tree drawn with box characters, with the name above it."""
    above: list[tuple[int, str]] = []
    for line in drawing.splitlines():
        drawn = re.match(r"^([ │├└─]+)([A-Z]\w*Error)\b", line)
        if drawn is None:
            continue
        column = len(drawn[1])
        above = [(depth, name) for depth, name in above if depth < column]
        if above:
            yield drawn[2], above[-1][1]
        above.append((column, drawn[2]))


def _catches_anything(handler: ast.ExceptHandler) -> bool:
    """Return True if any error at all is caught here for good; one that is raised again after cleaning up is not."""
    last = handler.body[-1]
    if isinstance(last, ast.Raise) and last.exc is None:
        return False
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(_dotted(kind) in {"Exception", "BaseException"} for kind in kinds)


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


_IMPORT_UNDER_WATCH = """
import importlib, os, sys

def watch(event, arguments):
    writes = event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    reads_data = event == "open" and "/investigator/" in str(arguments[0]) and "/data/" in str(arguments[0])
    reaches_out = event in {"socket.connect", "socket.bind", "socket.getaddrinfo", "subprocess.Popen", "os.mkdir"}
    if writes or reads_data or reaches_out:
        raise SystemExit(f"an import did this: {event} {arguments}")

sys.addaudithook(watch)
for name in sys.argv[1:]:
    importlib.import_module(name)
print("LOADED", *{name.partition(".")[0] for name in sys.modules})
"""


def _imported(modules: list[str]) -> set[str]:
    """Return the packages that are loaded with these modules, in a separate Python process."""
    command = [sys.executable, "-B", "-c", _IMPORT_UNDER_WATCH, *modules]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT)
    assert done.stderr == ""
    marker, *loaded = done.stdout.split()
    assert marker == "LOADED", done.stdout
    return set(loaded)
