"""An MCP server of the PyPI package mcp, 1.x or 2.x, with its default sessions.

    python mcp_server.py <port>
"""

import sys

import uvicorn

try:
    from mcp.server import MCPServer  # 2.x
except ImportError:
    from mcp.server.fastmcp import FastMCP as MCPServer  # 1.x

server = MCPServer("capture")


@server.tool()
def echo(text: str) -> str:
    return text


uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
