"""Serves the tools for agents with the Model Context Protocol; the `mcp` package is loaded on demand."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import anyio
from anyio.abc import TaskGroup, TaskStatus
from pydantic import ValidationError

from investigator.errors import InvestigatorError, SettingsError
from investigator.records import Record
from investigator.reports.inert import inert_json
from investigator.resources.distribution import install_command
from investigator.secrets import redacted
from investigator.server.agents import AgentTools
from investigator.server.desk import Desk
from investigator.server.hosting import Application, Receive, Scope, Send
from investigator.server.problems import ServerError, problem_of
from investigator.server.replies import html

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

PATH = "/mcp"


def agent_server(desk: Desk) -> MCPServer[Any]:
    """Return a server that offers the tools for a desk's folders. Raises SettingsError."""
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp.types import ToolAnnotations
    except ModuleNotFoundError as error:
        raise SettingsError(
            "serving agents requires the package mcp, which is not installed",
            hint=f"Install it with: {install_command('mcp')}",
        ) from error

    class AgentServer(MCPServer[Any]):
        async def call_tool(self, name: str, *given: Any, **options: Any) -> Any:
            try:
                return await super().call_tool(name, *given, **options)
            except ToolError as error:
                if not isinstance(error.__cause__, ValidationError):
                    raise
                wrong = problem_of(error.__cause__).detail
                raise ToolError(f"{name} was not called: {wrong}. See its input schema.") from error.__cause__

    server = AgentServer("investigator", instructions=html("agents.j2"), log_level="CRITICAL")
    for tool in AgentTools(desk).every:
        server.add_tool(_as_tool(tool), annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False))
    return server


class AgentDoor:
    """Serves the tools over HTTP without keeping client state; the package is loaded when the first client connects.
    Access is checked before a request arrives here. The surrounding application must run its `lifespan`.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._opening = anyio.Lock()
        self._tasks: TaskGroup | None = None
        self._app: Application | None = None

    @asynccontextmanager
    async def lifespan(self, _: object) -> AsyncIterator[None]:
        """Serve the tools until the context manager exits."""
        async with anyio.create_task_group() as self._tasks:
            yield
            self._tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request. Raises SettingsError."""
        async with self._opening:
            if self._app is None and self._tasks is not None:
                server = await anyio.to_thread.run_sync(agent_server, self._desk)
                self._app = await self._tasks.start(_kept_open, server)
        if self._app is not None:
            await self._app(scope, receive, send)


async def _kept_open(server: MCPServer[Any], *, task_status: TaskStatus[Application]) -> None:
    from mcp.server.transport_security import TransportSecuritySettings

    guarded_already = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = server.streamable_http_app(
        streamable_http_path=PATH, json_response=True, stateless_http=True, transport_security=guarded_already
    )
    async with app.router.lifespan_context(app):
        task_status.started(app)
        await anyio.sleep_forever()


def _as_tool(tool: Callable[..., tuple[str, Record]]) -> Callable[..., object]:
    """Wrap a tool for the `mcp` package, so that it returns replies in the protocol's form, and errors that a model can
    read.
    """
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import CallToolResult, TextContent

    hints = get_type_hints(tool, include_extras=True)
    hints["return"] = Annotated[CallToolResult, get_args(hints["return"])[1]]

    @wraps(tool)
    def call(**arguments: object) -> CallToolResult:
        try:
            text, record = tool(**arguments)
        except (ServerError, InvestigatorError, ValidationError) as error:
            wrong = problem_of(error)
            raise ToolError(f"{wrong.detail} {wrong.hint}".strip()) from error
        structured = json.loads(inert_json(redacted(record.model_dump_json())))
        return CallToolResult(content=[TextContent(type="text", text=redacted(text))], structured_content=structured)

    own = signature(tool)
    taken = [parameter.replace(annotation=hints[name]) for name, parameter in own.parameters.items()]
    call.__signature__ = own.replace(parameters=taken, return_annotation=hints["return"])  # type: ignore[attr-defined]
    call.__annotations__ = hints
    return call
