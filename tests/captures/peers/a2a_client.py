"""An A2A client of the PyPI package a2a-sdk 1.x.

    python a2a_client.py <base-url> [version]

With a version, the caller sets A2A-Version itself on the shared HTTP client.
"""

import asyncio
import sys

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.helpers import new_text_message
from a2a.types.a2a_pb2 import Role, SendMessageRequest


async def main(base: str, *version: str) -> None:
    config = ClientConfig(streaming=False)
    if version:
        config.httpx_client = httpx.AsyncClient(headers={"A2A-Version": version[0]})
    client = await ClientFactory(config).create_from_url(base)
    request = SendMessageRequest(message=new_text_message("hello", role=Role.ROLE_USER))
    async for _ in client.send_message(request):
        pass
    await client.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
