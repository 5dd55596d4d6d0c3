"""The MCP server: answers requests for tools, resources and the prompt."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, TypeVar

import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from ... import __version__
from ...errors import NotFound, RecollectError
from ...recollect import Recollect
from ..access import Access
from ..scope import Caller
from . import graph_tools, prompts, resources, tools
from .answers import Answer
from .greeting import GRAPH_INSTRUCTIONS, INSTRUCTIONS, NAME, ToolSetName
from .tool import Tool

TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in tools.ALL}


@dataclass(frozen=True)
class ToolSet:
    """The tools that a client is told of, and those that it may call. Tools that few models need are not listed."""

    listed: Sequence[Tool]
    known: Mapping[str, Tool]
    instructions: str = INSTRUCTIONS


_KNOWN = {**TOOLS, "add": tools.remember, "assemble": tools.context}
"""Also under the names that the command line and Python have for them."""
STANDARD = ToolSet(tools.STANDARD, _KNOWN)
SETS: Mapping[ToolSetName, ToolSet] = {
    "standard": STANDARD,
    "all": ToolSet(tools.ALL, _KNOWN),
    "knowledge-graph": ToolSet(graph_tools.ALL, {tool.name: tool for tool in graph_tools.ALL}, GRAPH_INSTRUCTIONS),
}

Context: TypeAlias = ServerRequestContext[Any, Any]
T = TypeVar("T")
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Backend:
    """The memory, and how to find the caller of a request. `mind` may be slow, so it is called in a thread."""

    mind: Callable[[], Recollect]
    who: Callable[[Context], Caller]
    tools: ToolSet = STANDARD

    async def run(self, ctx: Context, work: Callable[[Access], T]) -> T:
        """Runs the work in a thread, with the access of the request's caller."""
        caller = self.who(ctx)
        return await anyio.to_thread.run_sync(lambda: work(Access(self.mind(), caller)))


def build(backend: Backend) -> Server[Any]:
    server: Server[Any] = Server(
        NAME,
        version=__version__,
        title=NAME,
        instructions=backend.tools.instructions,
        on_list_tools=partial(_list_tools, backend),
        on_call_tool=partial(_call_tool, backend),
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=partial(_read_resource, backend),
        on_list_prompts=_list_prompts,
        on_get_prompt=partial(_get_prompt, backend),
    )
    server.middleware.clear()  # the SDK's telemetry: we send none
    return server


# Tools --------------------------------------------------------------------------------------------


async def _list_tools(backend: Backend, ctx: Context, params: object) -> types.ListToolsResult:
    """Callers that may only read see only the tools that change nothing."""
    may_write = backend.who(ctx).scope.may("write")
    return types.ListToolsResult(tools=[t.described for t in backend.tools.listed if may_write or t.read_only])


async def _call_tool(backend: Backend, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
    tool = backend.tools.known.get(params.name)
    if tool is None:
        raise MCPError(code=types.INVALID_PARAMS, message=f"no tool is called {params.name!r}")
    try:
        return _answered(await backend.run(ctx, lambda access: tool(access, params.arguments or {})))
    except RecollectError as error:
        return _refused(str(error))
    except Exception:  # noqa: BLE001 - the outermost surface: the client stays connected, and the log has the traceback
        logger.exception("the tool %s failed", tool.name)
        return _refused(f"{tool.name} failed inside recollect: see the server's log")


def _answered(answer: Answer) -> types.CallToolResult:
    return types.CallToolResult(content=[*map(_block, answer.blocks())], structured_content=answer.data())


def _refused(line: str) -> types.CallToolResult:
    return types.CallToolResult(content=[_block(" ".join(line.split()))], is_error=True)


def _block(content: str | dict[str, Any]) -> types.TextContent:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return types.TextContent(type="text", text=text)


# Resources and the prompt -------------------------------------------------------------------------


async def _list_resources(ctx: Context, params: object) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=[resources.PINNED])


async def _list_templates(ctx: Context, params: object) -> types.ListResourceTemplatesResult:
    return types.ListResourceTemplatesResult(resource_templates=[resources.MEMORY])


async def _read_resource(
    backend: Backend, ctx: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    text = await _or_error(backend.run(ctx, lambda access: resources.read(access, params.uri)))
    return types.ReadResourceResult(contents=[text])


async def _list_prompts(ctx: Context, params: object) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=[prompts.RECALL_FIRST])


async def _get_prompt(backend: Backend, ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    return await _or_error(backend.run(ctx, lambda access: prompts.get(access, params.name, params.arguments or {})))


async def _or_error(work: Awaitable[T]) -> T:
    """Turns our errors into errors of the protocol."""
    try:
        return await work
    except NotFound as error:
        raise MCPError(code=types.INVALID_PARAMS, message=" ".join(str(error).split())) from None
    except RecollectError as error:
        raise MCPError(code=types.INVALID_REQUEST, message=" ".join(str(error).split())) from None
