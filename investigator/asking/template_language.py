"""The language of templates, a subset of Jinja2 that works on plain values, has no calls, and always terminates.

Anything that is not in the lists below is rejected when a template is compiled. Allowed operations are counted at run
time.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, cast

from jinja2 import StrictUndefined, Template, Undefined, nodes
from jinja2.exceptions import SecurityError, TemplateSyntaxError
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.tests import TESTS
from jinja2.utils import pass_context

from investigator.asking.template_filters import FILTERS, MOST_CHARACTERS
from investigator.records.base import Plain

MOST_STEPS = 20_000_000
"""Maximum number of steps in one render. Each operation in a loop, and each character that a filter reads or writes, is
a step.
"""
MOST_SECONDS = 20.0

_MOST_NODES = 20_000
_DEEPEST = 60
_LARGEST = 10**15
_TICK = "tick "
"""Name of the filter that counts loop iterations; it contains a space, so templates cannot use it."""
_TESTS = ("defined", "undefined", "none", "string", "number", "even", "odd", "in")
_OF_LOOP = frozenset({"index", "index0", "revindex", "revindex0", "first", "last", "length", "previtem", "nextitem"})
_NODES = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.If, nodes.For, nodes.Assign),
    *(nodes.Name, nodes.Const, nodes.List, nodes.Tuple, nodes.Getattr, nodes.Getitem, nodes.Slice),
    *(nodes.Filter, nodes.Test, nodes.Keyword, nodes.CondExpr, nodes.Compare, nodes.Operand),
    *(nodes.And, nodes.Or, nodes.Not, nodes.Add, nodes.Sub, nodes.Mul, nodes.Div, nodes.FloorDiv, nodes.Mod),
    *(nodes.Neg, nodes.Pos),
)
_LOADING = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)
_REFUSED: Mapping[type[nodes.Node], str] = {
    nodes.Call: "calls are not allowed",
    nodes.Concat: "'~' is not supported: put the values side by side, or use '+'",
    nodes.Pow: "'**' is not supported",
    nodes.Macro: "macros are not supported",
}
WHAT_IS_ALLOWED = (
    "Templates support if, for, set, comparisons, + - * / // %, "
    f"the filters {', '.join(FILTERS)}, and the tests {', '.join(_TESTS)}; calls are not allowed."
)


@dataclass(frozen=True)
class Fault:
    """A fault in a template: its line, if known, and a hint that says what is allowed."""

    line: int | None
    problem: str
    hint: str = WHAT_IS_ALLOWED


class SpentError(SecurityError):
    """A template exceeded a limit."""


class Spending:
    """Counts the steps and characters of one render against their limits. `clock` returns the time in seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._ends_at = clock() + MOST_SECONDS
        self._steps = 0
        self._characters = 0

    def steps(self, number: int) -> None:
        """Count steps. Raises SpentError if a limit is exceeded."""
        self._steps += number
        if self._steps > MOST_STEPS:
            raise SpentError(f"it takes more than {MOST_STEPS:,} steps")
        if self._clock() > self._ends_at:
            raise SpentError(f"it takes more than {MOST_SECONDS:g} seconds")

    def characters(self, number: int) -> None:
        """Count characters of the output. Raises SpentError if the limit is exceeded."""
        self._characters += number
        if self._characters > MOST_CHARACTERS:
            raise SpentError(f"its text has more than {MOST_CHARACTERS:,} characters")


class _Context(Context):
    spending: Spending


class TemplateLanguage(ImmutableSandboxedEnvironment):
    """Compiles templates, and renders them from plain values."""

    context_class = _Context
    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%"})
    _operators: ClassVar[Mapping[str, Callable[[float, float], float]]] = {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": operator.truediv,
        "//": operator.floordiv,
        "%": operator.mod,
    }

    def __init__(self) -> None:
        super().__init__(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
        self.globals.clear()
        self.filters = {name: _counted(function) for name, function in FILTERS.items()} | {_TICK: _tick}
        self.tests = {name: TESTS[name] for name in _TESTS}

    def compiled(self, tree: nodes.Template) -> Template:
        """Compile a template that has no faults, after adding step counters to its tree. Raises TemplateSyntaxError."""
        for loop in list(tree.find_all(nodes.For)):
            cost = nodes.Const(sum(1 for _ in _walked(loop)))
            loop.body.insert(0, nodes.Output([_tick_of(nodes.Const(""), cost)], lineno=loop.lineno))
            if loop.test is not None:
                loop.test = nodes.And(_tick_of(nodes.Const(True), cost), loop.test)
        tree.set_environment(self)
        try:
            return Template.from_code(self, self.compile(tree), {})
        # Python itself limits, for example, the nesting of loops
        except (SyntaxError, RecursionError, MemoryError) as error:
            raise TemplateSyntaxError(f"it is nested too deeply ({error})", 1) from error

    def parsed(self, source: str) -> nodes.Template:
        """Return the syntax tree of a template. Raises TemplateSyntaxError."""
        try:
            return self.parse(source)
        except (RecursionError, MemoryError, ValueError) as error:
            raise TemplateSyntaxError(f"nested too deeply, or a number is too long ({error})", 1) from error

    def faults(self, tree: nodes.Template) -> Iterator[Fault]:
        """Yield a fault for each forbidden node. Raises TemplateSyntaxError for a template that is too deep or long."""
        for count, (node, parent, depth) in enumerate(_walked(tree)):
            line = node.lineno or 1
            if depth > _DEEPEST or count > _MOST_NODES:
                raise TemplateSyntaxError("the template is nested too deeply, or too long", line)
            if problem := _problem(node, parent):
                yield Fault(line, problem)

    def pieces(self, template: Template, values: Mapping[str, Plain], clock: Callable[[], float]) -> Iterator[str]:
        """Yield the text of a template. Raises SpentError, and any exception raised by applying an operation to an
        unsuitable value.
        """
        context = cast("_Context", template.new_context(dict(values)))
        context.spending = Spending(clock)
        for piece in template.root_render_func(context):
            context.spending.characters(len(piece))
            yield piece

    def getattr(self, obj: object, attribute: str) -> object:
        """Return a field of a record or the state of a loop; Python's own attributes are inaccessible."""
        if isinstance(obj, LoopContext) and attribute in _OF_LOOP:
            return getattr(obj, attribute)
        return self.getitem(obj, attribute)

    def getitem(self, obj: object, argument: object) -> object:
        """Return an item of a dict, a list or a string."""
        if isinstance(obj, dict) and isinstance(argument, str):
            return obj[argument] if argument in obj else self.undefined(obj=obj, name=argument)
        if isinstance(obj, list | tuple | str) and isinstance(argument, int) and -len(obj) <= argument < len(obj):
            return obj[argument]
        if isinstance(obj, Undefined):
            return obj[argument]  # raises an error that names the undefined variable
        return self.undefined(obj=obj, name=str(argument))

    def call_binop(self, context: Context, operator: str, left: object, right: object) -> object:
        """Compute with numbers, or concatenate strings."""
        if operator == "+" and isinstance(left, str) and isinstance(right, str):
            cast("_Context", context).spending.steps(len(left) + len(right))
            if len(left) + len(right) > MOST_CHARACTERS:
                raise SpentError(f"its text has more than {MOST_CHARACTERS:,} characters")
            return left + right
        if not isinstance(left, int | float) or not isinstance(right, int | float):
            raise TypeError(f"{operator!r} takes numbers, not {_kind(left)} and {_kind(right)}")
        if max(abs(left), abs(right)) > _LARGEST:
            raise OverflowError(f"a number exceeds {_LARGEST:,}")
        return self._operators[operator](left, right)

    def is_safe_callable(self, obj: object) -> bool:
        """Return False, because templates must not call anything."""
        return False


def _problem(node: nodes.Node, parent: nodes.Node) -> str:
    """Return the fault of a syntax node; empty if the language allows it."""
    if isinstance(node, _LOADING):
        return "a template cannot load another one"
    if not isinstance(node, _NODES):
        return _REFUSED.get(type(node), f"{type(node).__name__.lower()} is unknown")
    if isinstance(node, nodes.Filter):
        return "" if node.name in FILTERS and node.node is not None else f"unknown filter {node.name!r}"
    if isinstance(node, nodes.Test):
        return "" if node.name in _TESTS else f"unknown test {node.name!r}"
    if isinstance(node, nodes.For) and node.recursive:
        return "recursive loops are not supported"
    if isinstance(node, nodes.Assign) and not isinstance(node.target, nodes.Name):
        return "'set' takes one name"
    if isinstance(node, nodes.Name):
        return _problem_of_name(node.name, parent)
    if isinstance(node, nodes.Getattr) and node.attr.startswith("_"):
        return f"unknown attribute {node.attr!r}"
    return _problem_of_list(node)


def _problem_of_name(name: str, parent: nodes.Node) -> str:
    """Return the problem with a name, or "". A template may use attributes of `loop`, but not pass `loop` on."""
    if name.startswith("_") or name in ("self", "caller"):
        return f"unknown variable {name!r}"
    if name == "loop" and not (isinstance(parent, nodes.Getattr) and parent.attr in _OF_LOOP):
        return f"'loop' has only {', '.join(sorted(_OF_LOOP))}"
    return ""


def _problem_of_list(node: nodes.Node) -> str:
    """Return a problem unless all items are constants, because nested lists could exhaust memory."""
    if isinstance(node, nodes.List) or (isinstance(node, nodes.Tuple) and node.ctx == "load"):
        return "" if all(isinstance(item, nodes.Const) for item in node.items) else "lists may contain only constants"
    return ""


def _walked(tree: nodes.Node) -> Iterator[tuple[nodes.Node, nodes.Node, int]]:
    """Yield each node with its parent and depth, without recursion."""
    stack = [(tree, tree, 0)]
    while stack:
        node, parent, depth = stack.pop()
        yield node, parent, depth
        stack.extend((child, node, depth + 1) for child in node.iter_child_nodes())


def _tick_of(value: nodes.Const, cost: nodes.Const) -> nodes.Filter:
    return nodes.Filter(value, _TICK, [cost], [], None, None)


@pass_context
def _tick(context: _Context, value: Plain, cost: int) -> Plain:
    context.spending.steps(cost)
    return value


def _counted(function: Callable[..., Plain]) -> Callable[..., Plain]:
    """Return a filter that counts its input before it runs, and its output afterwards."""

    @pass_context
    def apply(context: _Context, value: Plain, *args: Plain, **named: Plain) -> Plain:
        context.spending.steps(_size(value))
        result = function(value, *args, **named)
        context.spending.steps(_size(result))
        return result

    return apply


def _size(value: object) -> int:
    return len(value) if isinstance(value, str | list | dict) else 1


def _kind(value: object) -> str:
    return "something undefined" if isinstance(value, Undefined) else type(value).__name__
