"""An A2A server of the PyPI package a2a-sdk 0.3.

    python a2a_server_0_3.py <port> <public-url>
"""

import sys

import uvicorn
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentSkill
from a2a.utils import new_agent_text_message

port, base = sys.argv[1:3]


class Echo(AgentExecutor):
    async def execute(self, context, event_queue):
        await event_queue.enqueue_event(new_agent_text_message("hello"))

    async def cancel(self, context, event_queue):
        pass


card = AgentCard(
    name="capture",
    description="capture",
    version="0",
    url=f"{base}/rpc",
    capabilities=AgentCapabilities(streaming=False, push_notifications=False),
    default_input_modes=["text"],
    default_output_modes=["text"],
    skills=[AgentSkill(id="echo", name="echo", description="echo", tags=["echo"])],
)
app = A2AStarletteApplication(card, DefaultRequestHandler(Echo(), InMemoryTaskStore()))
uvicorn.run(app.build(rpc_url="/rpc"), host="127.0.0.1", port=int(port), log_level="error")
