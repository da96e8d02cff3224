"""An A2A server of the PyPI package a2a-sdk 1.x.

    python a2a_server.py <port> <public-url> <native|compat>

compat: the card lists 0.3 too, and the 0.3 layer is on.
"""

import sys

import uvicorn
from a2a.helpers import new_text_message
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types.a2a_pb2 import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Role
from starlette.applications import Starlette

port, base, mode = sys.argv[1:4]
compat = mode == "compat"


class Echo(AgentExecutor):
    async def execute(self, context, event_queue):
        message = new_text_message("hello", context_id=context.context_id, role=Role.ROLE_AGENT)
        await event_queue.enqueue_event(message)

    async def cancel(self, context, event_queue):
        pass


card = AgentCard(
    name="capture",
    description="capture",
    version="0",
    supported_interfaces=[
        AgentInterface(url=f"{base}/rpc", protocol_binding="JSONRPC", protocol_version=version)
        for version in (["1.0", "0.3"] if compat else ["1.0"])
    ],
    capabilities=AgentCapabilities(streaming=False, push_notifications=False),
    default_input_modes=["text/plain"],
    default_output_modes=["text/plain"],
    skills=[AgentSkill(id="echo", name="echo", description="echo", tags=["echo"])],
)
handler = DefaultRequestHandler(agent_executor=Echo(), task_store=InMemoryTaskStore(), agent_card=card)
routes = create_agent_card_routes(card) + create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=compat)
uvicorn.run(Starlette(routes=routes), host="127.0.0.1", port=int(port), log_level="error")
