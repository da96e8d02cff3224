"""An A2A client of the PyPI package a2a-sdk 0.3.

    python a2a_client_0_3.py <base-url>
"""

import asyncio
import sys

from a2a.client import ClientConfig, ClientFactory
from a2a.client.helpers import create_text_message_object


async def main(base: str) -> None:
    client = await ClientFactory.connect(base, client_config=ClientConfig(streaming=False))
    async for _ in client.send_message(create_text_message_object(content="hello")):
        pass


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
