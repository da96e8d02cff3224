"""An A2A agent that negotiates: the floor in front of `a2a-sdk`'s own app.

    python examples/a2a_server.py [--port 8000] [--journal records.jsonl]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import uvicorn
from a2a.helpers import new_text_message
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types.a2a_pb2 import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Role
from mcp_server import journal, who
from starlette.applications import Starlette

from openwop_negotiator import Facet, Facets, Negotiator
from openwop_negotiator.asgi import NegotiationMiddleware

FACETS = Facets(a2a=Facet(offered=["0.3", "1.0"], preferred="1.0", floor="0.3"))


class Echo(AgentExecutor):
    async def execute(self, context: Any, event_queue: Any) -> None:
        message = new_text_message("hello", context_id=context.context_id, role=Role.ROLE_AGENT)
        await event_queue.enqueue_event(message)

    async def cancel(self, context: Any, event_queue: Any) -> None:
        pass


def app(port: int, path: Path) -> NegotiationMiddleware:
    card = AgentCard(
        name="echo",
        description="says hello",
        version="1",
        supported_interfaces=[
            AgentInterface(
                url=f"http://127.0.0.1:{port}/rpc",
                protocol_binding="JSONRPC",
                protocol_version=version,
            )
            for version in ("1.0", "0.3")
        ],
        capabilities=AgentCapabilities(streaming=False, push_notifications=False),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[AgentSkill(id="echo", name="echo", description="says hello", tags=["echo"])],
    )
    handler = DefaultRequestHandler(
        agent_executor=Echo(), task_store=InMemoryTaskStore(), agent_card=card
    )
    routes = create_agent_card_routes(card)
    routes += create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=True)
    return NegotiationMiddleware(
        Starlette(routes=routes),
        negotiator=Negotiator(FACETS),
        protocol="a2a",
        sink=journal(path),
        authenticate=who,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--journal", type=Path, default=Path("records.jsonl"))
    options = parser.parse_args()
    uvicorn.run(app(options.port, options.journal), host="127.0.0.1", port=options.port)
