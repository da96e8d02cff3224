"""An MCP client of the PyPI package mcp, 1.x or 2.x.

    python mcp_client.py <url> <mode>

mode: 1.x has one ("session"); 2.x takes "legacy", "auto" or a revision.
"""

import asyncio
import sys


async def one(url: str) -> None:
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    async with streamablehttp_client(url) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            await session.list_tools()
            await session.call_tool("echo", {"text": "hello"})
            await asyncio.sleep(0.2)  # lets the GET stream open


async def two(url: str, mode: str) -> None:
    from mcp import Client

    async with Client(url, mode=mode) as client:
        await client.list_tools()
        await client.call_tool("echo", {"text": "hello"})
        await asyncio.sleep(0.2)


if __name__ == "__main__":
    url, mode = sys.argv[1:3]
    asyncio.run(one(url) if mode == "session" else two(url, mode))
